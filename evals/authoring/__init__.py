"""Parts that the generators of tasks of all kinds share."""
