"""Benchmarks: ratios measured in one run, apart from the tests."""
