"""The files of a room: what the director writes, and what is made of it for clocks and broker."""
