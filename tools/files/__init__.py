"""Reading and writing files that other processes may write at the same time."""
