"""Tasks and their generators, scorers, the runner, statistics, reports and tracking. Works on any program."""
