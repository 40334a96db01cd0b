"""Intents about website visits."""
