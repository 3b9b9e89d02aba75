"""A log as a report: tables, values and a chart.

`timeline` replays a log, `statistics` and `incidents` count what happened in it, and `build` puts
their values (`summary`) together. `wording` has the words; `tables` and `chart` show a match,
`results` several of them, also as JSON and CSV; `listing` has a row for each log of a directory.
The package may import `storage`, `eventlog`, `ui` and `match`; only `chart` needs matplotlib.
"""
