"""Optimizers of our own: candidates, races, and acceptance."""
