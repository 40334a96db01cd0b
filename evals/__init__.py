"""Tasks and their generators, scorers, the runner, statistics, reports and tracking. Works on any program.

Start at `running.runner.evaluate`: it runs a program on the tasks of a `suite.Suite` and gives records of
episodes (`records`), from which `statistics`, `reporting` and `tracking` make all else. Public are
`worksmith.Suite`, `worksmith.Task` and the names of `worksmith.plugins`.
"""
