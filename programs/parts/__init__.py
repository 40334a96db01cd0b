"""The agent's modules: planner, tool selector, access checker, executor."""
