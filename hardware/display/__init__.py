"""hardware.display"""
