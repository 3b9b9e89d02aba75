"""What the clock costs in time and memory: `make bench`."""
