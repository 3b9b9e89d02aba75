"""hardware.buttons"""
