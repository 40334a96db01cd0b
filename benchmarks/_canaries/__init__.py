"""Canaries: unique tokens in every record, to see whether one ever reaches somebody who may not read it."""
