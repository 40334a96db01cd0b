"""Compiling programs: trace bank, demonstration selection, search, artifacts. Works on any program.

Start at `compiling.compile.compile_program`, which calls the `search` of an `optimizer.Optimizer`.
worksmith's optimizers lie in `search`, DSPy's in `dspy_optimizers`. Public are the optimizers of
`worksmith` and the names of `worksmith.plugins.optimizers`.
"""
