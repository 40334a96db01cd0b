"""worksmith: compile, compare and track workplace-agent programs."""

__version__ = "0.1.0"
