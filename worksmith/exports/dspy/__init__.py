"""A suite's tasks as plain examples for DSPy."""
