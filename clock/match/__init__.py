"""The rules of a match clock and its state machine: pure, and importing nothing else of `clock`.

To read it, begin with the theory of operation in `machine`, then `transitions` (what happens when)
and `state`. What the transitions do is in `turns`, `stops`, `breaks`, `corrections` and `director`.
Below them lie `scoring` and `timecontrol` (points, time), `inputs` and `events` (what goes in and
what the log says), `rules` and `profiles` (what federations demand), `types` and `durations`.
Beside them stand `invariants` (the check of a loaded state) and `faults` (names of parts).
"""
