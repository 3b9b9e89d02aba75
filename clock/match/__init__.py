"""The rules and the state machine of a match. Pure."""
