"""The choice of episodes that become traces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from worksmith.evals.records.record import EpisodeRecord
from worksmith.tools.errors import unknown
from worksmith.tools.seeding import digest

_SAMPLE = re.compile(r"sample:(\d{1,9})")


@dataclass(frozen=True)
class TraceChoice:
    """Numbers of episodes that become traces; by default mostly failures, which people learn most from.

    Attributes:
        failures: the most failed episodes, the first ones; None for all.
        others: of the other episodes; None for all.
        sample: of all episodes, in place of the other two.
        blank: whether episodes without calls, answers and errors count.
        baselines: whether episodes of baselines count.
        name: as in `parse`.

    A sample has the episodes with the least digests of seed and key, in any order.
    """

    failures: int | None = 100
    others: int | None = 20
    sample: int | None = None
    blank: bool = False
    baselines: bool = False
    name: str = "some"

    @classmethod
    def parse(cls, text: str) -> TraceChoice:
        """The choice in `some`, `most`, `all`, `failures`, `sample:N` or `none`.

        Raises:
            InputError: the text is another one.
        """
        if text in CHOICES:
            return CHOICES[text]
        sample = _SAMPLE.fullmatch(text)
        if sample is None or int(sample[1]) == 0:
            raise unknown("no choice", text, (*CHOICES, "sample:N"), "--traces")
        return cls(sample=int(sample[1]), name=text)

    def of(self, records: Sequence[EpisodeRecord], seed: int) -> list[EpisodeRecord]:
        places: dict[bool, list[tuple[str, int]]] = {True: [], False: []}
        for place, record in enumerate(records):
            if self.blank or not _blank(record):
                places[_failed(record)].append((digest([seed, "traces", record.key]), place))
        failed, others = places[True], places[False]
        if self.sample is not None:
            chosen = _drawn([*failed, *others], self.sample)
        else:
            chosen = [*failed[: self.failures], *_drawn(others, self.others)]
        return [records[place] for _, place in chosen]

    def __str__(self) -> str:
        return self.name


ALL = TraceChoice(failures=None, others=None, blank=True, baselines=True, name="all")
NONE = TraceChoice(failures=0, others=0, name="none")
CHOICES = {
    choice.name: choice
    for choice in (
        TraceChoice(),
        TraceChoice(sample=1_000, blank=True, name="most"),
        ALL,
        TraceChoice(failures=None, others=0, name="failures"),
        NONE,
    )
}
"""Those with a name of their own."""


def broke(record: EpisodeRecord) -> bool:
    """Whether an episode ended in an error, its own or the infrastructure's."""
    return record.status not in ("finished", "step_limit", "repetition")


def _drawn(places: list[tuple[str, int]], most: int | None) -> list[tuple[str, int]]:
    """The places with the least digests, in their order."""
    kept = places if most is None else sorted(places)[:most]
    return sorted(kept, key=lambda each: each[1])


def _failed(record: EpisodeRecord) -> bool:
    return broke(record) or record.scores.get("outcome", 1.0) < 1


def _blank(record: EpisodeRecord) -> bool:
    return not (record.model_calls or record.calls or record.answer or broke(record))
