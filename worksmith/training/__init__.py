"""Training of local models on exported data, and by DSPy's optimizers."""

from worksmith.training.provider import trainable

__all__ = ["trainable"]
