"""The kinds of tasks that are asked of an office world, each with its wording, its answer and its solution."""
