"""DSPy programs in the harness: their tasks, saved states, digests and demonstrations."""
