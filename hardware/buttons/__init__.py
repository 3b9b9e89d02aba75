"""Push buttons on GPIO pins: from raw edges to debounced presses on the raw clock.

`contact` is one switch on a pin, `debounce` the pure debouncing, `plungers` all buttons together,
`simulated` buttons pressed by a program.
Imports gpiozero, and of the hardware only `system`, `latch`, `units` and `wakeup`.
"""
