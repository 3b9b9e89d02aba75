"""hardware.diagnostics"""
