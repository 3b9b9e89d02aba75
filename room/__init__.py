"""Follow clocks from outside: log directories, log files and serial lines, on pages and as a feed.

`sources` emit events with the lines of logs. `lines` decides which of them continue a log, and when
they were written on the clock of this program; `boards` makes the state of all boards of them.
`store` keeps lines and results, and `hub` sends changes to the readers of the pages, which `web`
serves. Nothing here is imported by `clock` or `hardware`.
"""
