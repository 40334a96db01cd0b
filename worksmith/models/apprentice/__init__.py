"""SmolLM2-135M taught to learn from demonstrations: the model that worksmith brings along."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
"""The folder with the manifest and the difference to the base. README.md there is the model's card."""
