"""From settings to the objects of a job: suites, programs, models, judges, budgets and engines."""
