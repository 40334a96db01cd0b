"""Scores of an episode, of a baseline, and of predictions that were made elsewhere."""
