"""Benchmarks: one module each, with a function that makes one row of results."""
