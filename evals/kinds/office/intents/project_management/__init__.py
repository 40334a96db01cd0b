"""Intents about project tasks."""
