"""Records of episodes: the record of one, the log of a run, and figures over many."""
