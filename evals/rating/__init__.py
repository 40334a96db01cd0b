"""Ratings by people: scales, samples that hide the programs, agreement of raters."""
