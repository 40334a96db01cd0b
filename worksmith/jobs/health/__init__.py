"""Checks of a machine and of models, before money or time is spent on them."""
