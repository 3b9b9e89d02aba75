"""hardware.system"""
