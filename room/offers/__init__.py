"""A director's list of pairings, as files of other programs have it. Pure."""
