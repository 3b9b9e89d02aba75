"""The loop that runs one match after another, and how it starts.

`loop` runs on `ports`, which are real or simulated; `adapters` fit parts to them, and `alerts` says
when to sound the buzzer; what happens to the match is decided in `clock.session`. `startup` decides
which match to resume, `handover` reads the log of another clock, and `crash_guard` counts failed
starts. Imports no `report`, no `apps`, no hardware.
"""
