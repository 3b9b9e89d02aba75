"""The log on a serial line, for programs that follow a match from outside.

`stream` sends the lines in a thread of its own, `backlog` holds those still to be sent, and `port`
opens a port and waits for it. Imports from hardware only the fault latch and the wake-up.
"""
