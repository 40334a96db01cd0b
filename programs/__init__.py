"""Agents as DSPy modules: planner, tool selector, access checker, executor, and strategies.

Start at `agent.Agent`; `episode_loop.EpisodeLoop` is its loop and `parts` its modules. `prompting` turns an
episode into requests and replies into calls. Public are `worksmith.Agent` and the names of
`worksmith.plugins.agents`.
"""
