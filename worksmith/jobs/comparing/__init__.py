"""Comparing programs: the plan of a study, its arms, and its figures."""
