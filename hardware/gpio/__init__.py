"""hardware.gpio"""
