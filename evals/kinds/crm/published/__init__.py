"""The published task set: its files, its questions as tasks, its answers beside computed ones."""
