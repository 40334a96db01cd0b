"""What agents can do: worlds, sandboxes, episodes, outcomes, policies, and the tools of each world kind."""
