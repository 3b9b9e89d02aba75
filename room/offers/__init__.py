"""Offers of the next match, from the director to the clocks."""
