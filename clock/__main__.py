"""Make `python -m clock` the same as `gammonclock`."""

from clock.cli import main

main(prog_name="gammonclock")
