"""Goals about code and issues."""
