"""Tests' shared parts, proofs, benchmarks and generators: not needed to change the clock."""
