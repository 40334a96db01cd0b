"""Ranking texts by words, by vectors, or by both."""
