"""Tasks over office worlds: generated, and imported from a published system."""
