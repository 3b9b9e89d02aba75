"""What the clock signals with, beside the panels: `buzzer` and `lamps`, each on GPIO pins.

Both are optional: a pin number of 0 means that there is none. Their methods neither wait nor raise;
what fails is reported by `faults`. Imports gpiozero, and of the hardware only `latch`.
"""
