"""Intents that need several toolkits."""
