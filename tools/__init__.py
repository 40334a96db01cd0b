"""Environments of agents: worlds, sandboxes, episodes, policies, and the tools of each world kind."""
