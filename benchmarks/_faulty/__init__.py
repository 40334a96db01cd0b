"""A proxy in front of a model's server that injects faults, for tests and benchmarks."""
