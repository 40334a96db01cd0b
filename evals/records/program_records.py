"""The episodes of one program, as tables of a kind take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.summary import Summary


@dataclass(frozen=True)
class ProgramRecords:
    """A program's episodes and their figures.

    Attributes:
        label: how tables call the program.
        seed: of the random choices behind intervals.
        baseline: whether it stands beside others for orientation.
    """

    label: str
    records: Sequence[EpisodeRecord]
    summary: Summary
    seed: int = 0
    baseline: bool = False
