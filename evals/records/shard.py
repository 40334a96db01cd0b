"""A part of a run's tasks, so that machines that share nothing can do one run together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict, PositiveInt

from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task


class Shard(BaseModel):
    """The part of a run's tasks that a log has, in the card of the log.

    Attributes:
        part: its number, from 1.
        of: the number of parts.
        total: the number of tasks of the whole run.
        tasks: digest of their ids.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: PositiveInt
    of: PositiveInt
    total: PositiveInt
    tasks: str

    @classmethod
    def open(cls, text: str, tasks: Sequence[Task]) -> tuple[Self, list[Task]]:
        """A part of these tasks, dealt by their ids alone: parts differ by one task at most.

        Args:
            text: `K/N`, the K-th of N parts.

        Raises:
            InputError: the text is not a part, or there are more parts than tasks.
        """
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        part, of = map(int, found.groups()) if found else (0, 0)
        if not 1 <= part <= of:
            raise InputError(f"no part {text!r}", where="--shard", hint="K/N is the K-th of N, e.g. 3/10")
        if of > len(tasks):
            hint = f"choose N up to {len(tasks)}"
            raise InputError(f"{len(tasks)} tasks make no {of} parts", where=f"--shard {text}", hint=hint)
        ids = [task.id for task in tasks]
        shard = cls(part=part, of=of, total=len(ids), tasks=digest_of_ids(ids))
        chosen = set(sorted(ids, key=digest)[part - 1 :: of])
        return shard, [task for task in tasks if task.id in chosen]

    @property
    def size(self) -> int:
        return len(range(self.part - 1, self.total, self.of))

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"


def digest_of_ids(ids: Sequence[str]) -> str:
    """The content address of a set of tasks, by their ids."""
    return digest(sorted(ids))
