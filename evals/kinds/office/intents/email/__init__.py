"""Intents about mails."""
