"""Tell the director by way of another program: an address to which the hub posts what it noticed.

`notices` finds what is new, `outbox` decides when it is sent and how much at once; both are PURE.
`notifier` sends it, and runs in the hub's event loop.
"""
