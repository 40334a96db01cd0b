"""Reading an enterprise world from the original's folders, and writing one in their layout."""
