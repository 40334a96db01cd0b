"""Proposals: sources of the candidates of a race."""
