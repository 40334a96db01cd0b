"""Running programs on tasks: in parallel, resumable, every episode on record."""
