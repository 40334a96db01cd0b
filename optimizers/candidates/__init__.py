"""Candidates: settings of a program as plain data, programs made of them, and how they differ."""
