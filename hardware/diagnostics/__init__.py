"""The self-test behind `gammonclock doctor`.

`check_*` each test one part and return a `finding`; `button_test` has a person press the buttons,
whose edges `edge_queue` collects and `bounce` groups; `probe` has the facts of this computer.
May import the other packages of `hardware`, except the terminal.
"""
