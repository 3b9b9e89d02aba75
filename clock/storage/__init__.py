"""Durable files."""
