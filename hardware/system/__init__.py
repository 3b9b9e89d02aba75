"""The computer that the clock runs on: its kernel and its service manager.

`clocks` reads the kernel's clocks, `systemd` and `fd_store` talk to the service manager, and
`supply` watches voltage and batteries. Imports only the standard library, `latch`, `units` and
`wakeup`.
"""
