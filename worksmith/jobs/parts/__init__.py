"""Parts that several jobs share: opening suites and programs, judges, budgets, measuring, tracking."""
