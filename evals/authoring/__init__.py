"""What the generators of tasks share, whatever the world."""
