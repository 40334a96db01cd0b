"""What the harness knows of a DSPy program: its tasks as examples, its saved state, its digests."""
