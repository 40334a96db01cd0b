"""The names that plug-ins import: kinds of world, parts of agents, optimizers."""
