"""Texts as vectors."""

PACKAGED = ("minilm", "static")
"""The models that come with the package: nothing is downloaded for them, and they run no code of others."""
