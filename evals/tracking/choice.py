"""The choice of episodes that become traces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evals.records.record import EpisodeRecord
from tools.errors import InputError
from tools.seeding import rng

_SAMPLE = re.compile(r"sample:(\d{1,9})")
_CHOICES = ("some", "all", "failures", "sample:N", "none")


@dataclass(frozen=True)
class TraceChoice:
    """Numbers of episodes that become traces; by default mostly failures, which people learn most from.

    Attributes:
        failures: the most failed episodes, the first ones; None for all.
        others: of the other episodes, drawn by the evaluation's seed; None for all.
        sample: of all episodes, drawn likewise, in place of the other two.
        blank: whether episodes without calls, answers and errors count.
    """

    failures: int | None = 100
    others: int | None = 20
    sample: int | None = None
    blank: bool = False

    @classmethod
    def parse(cls, text: str) -> TraceChoice:
        """The choice in `some`, `all`, `failures`, `sample:N` or `none`.

        Raises:
            InputError: the text is none of these.
        """
        named = {"some": SOME, "all": ALL, "failures": cls(failures=None, others=0), "none": NONE}
        if text in named:
            return named[text]
        sample = _SAMPLE.fullmatch(text)
        if sample is None or int(sample[1]) == 0:
            raise InputError(f"no choice {text!r}", where="--traces", hint=f"there are {', '.join(_CHOICES)}")
        return cls(sample=int(sample[1]))

    def of(self, records: Sequence[EpisodeRecord], seed: int) -> list[EpisodeRecord]:
        """The episodes chosen from `records`."""
        shown = [record for record in records if self.blank or not _blank(record)]
        if self.sample is not None:
            return _drawn(shown, self.sample, seed)
        failed = [record for record in shown if _failed(record)]
        rest = [record for record in shown if not _failed(record)]
        return failed[: self.failures] + (rest if self.others is None else _drawn(rest, self.others, seed))


SOME = TraceChoice()
ALL = TraceChoice(failures=None, others=None, blank=True)
NONE = TraceChoice(failures=0, others=0)


def broke(record: EpisodeRecord) -> bool:
    """Whether an episode ended in an error, its own or the infrastructure's."""
    return record.status not in ("finished", "step_limit")


def _drawn(records: Sequence[EpisodeRecord], count: int, seed: int) -> list[EpisodeRecord]:
    return rng(seed, "traces").sample(records, min(count, len(records)))


def _failed(record: EpisodeRecord) -> bool:
    return broke(record) or record.scores.get("outcome", 1.0) < 1


def _blank(record: EpisodeRecord) -> bool:
    return not (record.model_calls or record.calls or record.answer or broke(record))
