"""Measuring programs: identity of programs, and cost of a measurement."""
