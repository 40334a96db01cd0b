"""What the generators of several kinds of worlds share."""
