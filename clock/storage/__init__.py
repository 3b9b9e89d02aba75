"""Durable files: the logs of matches and the checkpoint, written by one thread (`journal`).

A line is acknowledged when it was written and synced (`fdatasync`); the loop does not wait for
that, and a warning shows while any line is not on the disk. While a clock runs a checkpoint is
written every half second, so a power cut costs at most one second of play. A file whose sync failed
is never written to again: its lines move to a new file (`log_files`, `segment`). At the start
`log_reader` reads what the last run left. This package imports `eventlog` and `match`.
"""
