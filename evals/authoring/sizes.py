"""How many tasks the splits of a generated suite are to have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from worksmith.evals.tasks.task import Split


@dataclass(frozen=True)
class SplitSizes:
    """Tasks by split. A kind of suite gives the sizes at full scale as defaults.

    Attributes:
        growth: the sizes grow with this power of the scale: less than the world does.
    """

    test: int = 0
    train: int = 0
    dev: int = 0
    growth: ClassVar[float] = 1.0

    @classmethod
    def of_scale(cls, scale: float) -> Self:
        """The sizes of a world of some scale; never more than a full-sized one has."""
        share = min(1.0, scale**cls.growth)
        full = cls()
        return cls(round(full.test * share), round(full.train * share), round(full.dev * share))

    def by_split(self) -> dict[Split, int]:
        """The sizes by name of the split."""
        return {"test": self.test, "train": self.train, "dev": self.dev}
