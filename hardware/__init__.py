"""The hardware of a clock: buttons, panels, serial line, buzzer, lamps and computer.

Nothing here knows a player, a delay or a match, and nothing imports `clock`; only built-in types
and plain values are passed between the two. A part that can fail neither raises nor waits, but
reports its `faults`. `face` says what a panel shows, and is the one module that `clock` may import
outside of `clock.apps`; `latch`, `wakeup` and `units` are the primitives that the packages share.
"""
