"""Boards, made from lines: one, all of them, and the result of each match. Pure."""
