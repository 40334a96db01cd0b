"""Facts that texts state, and other wordings of the texts."""
