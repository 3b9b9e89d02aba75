"""hardware.outputs"""
