"""Reading a request: prompts, tasks, observations, and the state of an episode."""
