"""What players and director see and press. Pure."""
