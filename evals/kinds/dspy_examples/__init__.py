"""Plain DSPy programs over examples, as tasks and episodes."""
