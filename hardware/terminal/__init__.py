"""hardware.terminal"""
