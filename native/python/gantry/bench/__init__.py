"""Benchmarks of Gantry from Python: `python -m gantry.bench --help`."""
