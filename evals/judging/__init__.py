"""Judges: verdicts on episodes by a rubric, from a model or by rule, and whether to trust them."""
