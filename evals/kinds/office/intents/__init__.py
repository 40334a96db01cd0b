"""The kinds of tasks asked of an office world, each with its wording, its answer and its solution."""
