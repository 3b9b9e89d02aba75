"""A room of simulated clocks on this computer: `python -m room.simulation`, or `make room`."""
