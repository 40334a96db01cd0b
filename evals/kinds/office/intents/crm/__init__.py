"""Intents about customers."""
