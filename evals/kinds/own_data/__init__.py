"""Tasks over a user's own data."""
