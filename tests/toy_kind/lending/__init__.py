"""A lending library as a kind of world: its world, and the tasks over it."""
