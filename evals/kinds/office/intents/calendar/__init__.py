"""Intents about events."""
