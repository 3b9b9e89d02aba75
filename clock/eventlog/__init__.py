"""The format of the log, its replay and what a damaged one proves. Pure."""
