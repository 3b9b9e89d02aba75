"""Pins, pixels and wires. Nothing here knows a player, a delay or a match."""
