"""hardware.serial"""
