"""The program `gammonclock watch`: sources, hub and web server together."""
