"""Training data that were written, and the forecast of an export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.characters import harmless
from worksmith.exports.training.card import DataCard, card_beside
from worksmith.exports.training.held_back import Leak
from worksmith.exports.training.sources import Source, Suites
from worksmith.jobs.showing.printing import Facts, Printable

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class TrainingData(Printable):
    """Training data that were written.

    Attributes:
        files: the data, and those for validation if some were asked for.
        card: their card, which lies beside the first file.
    """

    files: tuple[Path, ...]
    card: DataCard

    def to_json(self) -> dict[str, Any]:
        return {
            "files": [str(file) for file in self.files],
            "card_file": str(card_beside(self.files[0])),
            "card": self.card.model_dump(mode="json"),
        }

    def print(self, console: Console) -> None:
        console.out(harmless(self.card.markdown()), highlight=False)


@dataclass(frozen=True)
class DataForecast(Facts):
    """The forecast of an export; no model is asked, and nothing is written."""

    suites: Suites
    sources: Sequence[Source]
    held_back: int
    leaks: Sequence[Leak]

    def facts(self) -> dict[str, Any]:
        return {
            "suites": [f"{s.path}: {len(self.suites.train(s))} train tasks" for s in self.suites.opened],
            "sources": [f"{one.name} ({one.kind}): {len(one.told)} trajectories" for one in self.sources],
            "episodes": sum(len(one.told) for one in self.sources),
            "held_back": self.held_back,
            "leaks": [str(leak) for leak in self.leaks],
        }
