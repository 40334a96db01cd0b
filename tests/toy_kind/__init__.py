"""A kind that a package of its own brings along."""
