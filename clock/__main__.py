"""`python -m clock` is `gammonclock`."""

from clock.cli import main

main(prog_name="gammonclock")
