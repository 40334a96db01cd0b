"""Parts that the generators of several kinds of worlds share."""
