"""The loop and its ports."""
