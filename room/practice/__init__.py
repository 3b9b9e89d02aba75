"""Clocks to practise on: each visitor of a page has one; none of them is a board of the room."""
