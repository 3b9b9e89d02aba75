"""Follow clocks from outside: log directories, log files and serial lines, on pages and as a feed.

Lines of logs come from `sources`. `inbox` decides which of them continue a log, `board` replays
them, `timing` finds when they happened on the clock of this program, and `register` keeps the
state of all boards. `store` keeps lines and results, `events` sends changes to readers, and `hub`
serves the pages. Nothing here is imported by `clock` or `hardware`, except by the command.
"""
