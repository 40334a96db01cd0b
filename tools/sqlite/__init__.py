"""SQLite in memory: schemas, sandboxes, and functions without the time of day."""
