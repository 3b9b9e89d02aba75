"""A log as a report: tables, values and a chart.

`timeline` replays a log, `statistics` counts what happened in it, `cases` has what the director was
called for, and `build` puts their values (`summary`) together. `wording` has the words; `tables`
and `chart` show a match, `results` several of them, also as JSON and CSV (`fields`).
The package may import `storage`, `eventlog`, `ui` and `match`; only `chart` needs matplotlib.
"""
