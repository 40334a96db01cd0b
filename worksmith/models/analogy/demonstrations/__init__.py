"""The demonstrations of a prompt, and how alike tasks are."""
