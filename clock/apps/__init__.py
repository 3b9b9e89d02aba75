"""Complete programs, put together from the game and the hardware.

`appliance` is the clock on a Raspberry Pi, `appliance_start` starts it, and `error_screen` is what
it shows if it cannot start. `simulator` is a clock on a terminal, `playback` plays a `script` in
virtual time, `doctor` checks the wiring, and `event_stream` sends the log on a serial line.
"""
