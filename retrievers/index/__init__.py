"""Search indexes: built, checked, opened."""
