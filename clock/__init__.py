"""The match clock for backgammon; `hardware` has the parts that know nothing of the game.

Packages, each importing only those after it: `apps` (complete programs), `runtime` (the loop) and
`report` (a log as tables and a chart), `storage` (durable files), `ui` (what is shown and pressed),
`config` (the director's file) and `eventlog` (the log as text), `match` (the rules). The commands
are in `gammonclock`.
"""

__version__ = "1.0.0"
