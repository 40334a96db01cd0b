"""Jobs: settings in, a result out; no command line is needed.

Start at `evaluation.evaluate` or `compiling.compilation.compile`. A job takes one model of `settings`,
opens what it names (`opening`), measures (`measuring`), keeps a record (`recording`) and returns a result
that prints itself (`showing`). All names are internal: use `worksmith` in Python and the commands in a
terminal.
"""
