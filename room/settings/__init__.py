"""The files of a room as they are read: the director's list, and those of hub, clock and link."""
