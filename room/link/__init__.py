"""The process on a clock that sends its logs to the hub of its room."""
