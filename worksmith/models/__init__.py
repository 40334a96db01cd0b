"""Models by name: the local ones and everything DSPy knows."""
