"""Races of candidates against the program as it is: rules, statistics, power."""
