"""The model without weights: follows the demonstrations in its prompt. Not a language model."""

from worksmith.models.analogy.engine import AnalogyEngine

__all__ = ["AnalogyEngine"]
