"""Goals about employees and policies."""
