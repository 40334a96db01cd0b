"""The log of episodes: a line for each, and an index over them."""
