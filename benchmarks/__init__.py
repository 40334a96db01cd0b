"""Measured claims: each benchmark prints its figures, with ratios taken side by side in one run."""
