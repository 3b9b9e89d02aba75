"""The match clock's game: rules, time, dialogue and log. No pins and no pixels."""

__version__ = "0.1.0"
