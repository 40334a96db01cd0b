"""Enterprise suites: the quotas of their tasks, the goals that fill them, published tasks."""
