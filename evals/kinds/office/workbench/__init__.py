"""The original benchmark's files: its tasks, its answers and what is wrong with them, its recorded runs."""
