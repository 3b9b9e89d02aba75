"""Complete programs, put together from the game and the hardware.

`appliance` is the clock on a Raspberry Pi, `appliance_start` starts it, and `error_screen` is what
it shows if it cannot start. `simulator` is a clock on a terminal, `playback` plays a `script` in
virtual time, and `doctor` checks the wiring. `console` has what all commands do with their output
and files. Besides `cli`, only this package imports `hardware`.
"""
