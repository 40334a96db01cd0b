"""Environments of agents: worlds, sandboxes, episodes, policies, and the tools of each world kind.

Start at `environment.Environment`, which opens an `episode.Episode`; each call of a tool passes
`dispatch.dispatch`. `access` decides who may do what, `kinds` has the worlds. Public are
`worksmith.Environment` and the names of `worksmith.plugins.worlds` and `worksmith.plugins.episodes`.
"""
