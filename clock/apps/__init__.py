"""Composition roots: the only modules that import hardware."""
