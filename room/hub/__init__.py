"""The hub: brings sources, boards, store and readers together.

It also tells the director by way of another program: `notices` finds what is new, `outbox` decides
when it is sent and how much at once; both are pure. `notifier` sends it, in the hub's event loop.
"""
