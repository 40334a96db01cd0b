"""Code that an agent wrote, decided by tests that it never saw."""
