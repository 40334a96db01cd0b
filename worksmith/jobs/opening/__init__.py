"""From settings to what a job works with: suites, programs, models, judges, budgets and engines."""
