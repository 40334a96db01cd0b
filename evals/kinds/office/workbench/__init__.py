"""The original benchmark's files: its tasks, its answers and their faults, its recorded runs."""
