"""Engines: episodes in other processes, on one or more machines.

A worker process has the program and the world. The driver, the process of the command, has everything that
there must be once: log, replies, limits, budget, judges, keys. A program in a worker asks the driver, which
asks the model. Models without a provider that answer by the request alone run in the workers.
"""
