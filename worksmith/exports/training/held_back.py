"""Tasks that are held back, and whether training data are about one of them or about nearly the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tasks.near import NearTexts
from worksmith.evals.tasks.repeats import request
from worksmith.evals.tasks.task import same_text
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.exports.training.sources import Suites

_NAMED = 5


@dataclass(frozen=True)
class Leak:
    """A task whose text is that of a task held back, or nearly so.

    Attributes:
        task, held: their names, with the folders of their suites.
        share: of pieces that both texts have; 1 for the same text.
    """

    task: str
    held: str
    share: float

    def __str__(self) -> str:
        same = "asks the same as" if self.share == 1 else f"is nearly the same ({self.share:.0%}) as"
        return f"{self.task} {same} {self.held}"


class HeldBack:
    """The tasks that programs are measured on.

    Args:
        suites: of the sources; all of their tasks outside the train split are held back.
        others: further suites; all of their tasks outside the train split, and all of a published task set.
    """

    def __init__(self, suites: Suites, others: Sequence[Path]) -> None:
        found = [(suite, task) for suite in suites.opened for task in suite.tasks if suites.held_back(task)]
        self.excluded = [Suite.open(path) for path in others]
        for suite in self.excluded:
            whole = suite.manifest.origin in task_kind(suite.manifest.kind).importers
            found += [(suite, task) for task in suite.tasks if whole or suites.held_back(task)]
        self.tasks = len(found)
        by_request, by_suite = defaultdict(list), defaultdict(list)
        for suite, task in found:
            named = _named(suite, task), task.query
            by_request[suite.digest, _asker(task)].append(named)
            by_suite[suite.digest].append(named)
        self._by_request = {place: _Queries(queries) for place, queries in by_request.items()}
        self._by_suite = {place: _Queries(queries) for place, queries in by_suite.items()}

    def leaks(self, tasks: Iterable[tuple[Suite, Task]]) -> dict[tuple[str, str], Leak]:
        """The leaks among tasks, each once, by the digest of its suite and its id.

        In one suite the same request counts; of other suites, whose people are others, the same text.
        """
        leaks = {}
        for suite, task in tasks:
            there = [self._by_request.get((suite.digest, _asker(task)))]
            there += [queries for place, queries in self._by_suite.items() if place != suite.digest]
            like = [found for queries in there if queries and (found := queries.nearest(task.query))]
            if like:
                leaks[suite.digest, task.id] = Leak(_named(suite, task), *max(like, key=lambda each: each[1]))
        return leaks


class _Queries:
    """Queries by the names of their tasks. The same text, in any case and spacing, is nearest."""

    def __init__(self, queries: Sequence[tuple[str, str]]) -> None:
        self._same = {same_text(query): name for name, query in queries}
        self._near = NearTexts(queries)
        self.nearest = cache(self._nearest)

    def _nearest(self, query: str) -> tuple[str, float] | None:
        same = self._same.get(same_text(query))
        return (same, 1.0) if same is not None else self._near.nearest(query)


def _asker(task: Task) -> tuple[str, ...]:
    """What makes a request besides its text."""
    return request(task)[1:]


def refuse(leaks: Sequence[Leak]) -> None:
    """Refuse to go on with leaks."""
    if leaks:
        ordered = sorted(leaks, key=lambda leak: -leak.share)
        named = "; ".join(map(str, ordered[:_NAMED])) + ("; ..." if len(leaks) > _NAMED else "")
        raise InputError(
            f"{len(leaks)} training tasks ask the same as tasks held back, or nearly the same: {named}",
            hint="add --leave-out to go on without them; nothing was written",
        )


def _named(suite: Suite, task: Task) -> str:
    return f"{suite.path.name}:{task.id}"
