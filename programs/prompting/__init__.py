"""Prompts and replies: how an episode looks to a model, and how its reply is read."""
