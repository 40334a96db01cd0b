"""Agents as DSPy modules: planner, tool selector, access checker, executor, and strategies."""
