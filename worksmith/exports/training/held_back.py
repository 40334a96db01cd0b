"""Tasks that are held back, and whether training data are about one of them or about nearly the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tasks.near import NearTexts
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
        self._same = {same_text(task.query): _named(suite, task) for suite, task in found}
        self._near = NearTexts((_named(suite, task), task.query) for suite, task in found)

    def leaks(self, tasks: Iterable[tuple[Suite, Task]]) -> dict[tuple[str, str], Leak]:
        """The leaks among tasks, each once, by the digest of its suite and its id."""
        leaks, asked = {}, dict[str, tuple[str, float] | None]()
        for suite, task in tasks:
            text = same_text(task.query)
            if text not in asked:
                same = self._same.get(text)
                asked[text] = (same, 1.0) if same is not None else self._near.nearest(text)
            if (found := asked[text]) is not None:
                leaks[suite.digest, task.id] = Leak(_named(suite, task), *found)
        return leaks


def refuse(leaks: Sequence[Leak]) -> None:
    """Refuse to go on with leaks.

    Raises:
        InputError: there are some; names the first of them.
    """
    if leaks:
        ordered = sorted(leaks, key=lambda leak: -leak.share)
        named = "; ".join(map(str, ordered[:_NAMED])) + ("; ..." if len(leaks) > _NAMED else "")
        raise InputError(
            f"{len(leaks)} training tasks ask the same as tasks held back, or nearly the same: {named}",
            hint="add --leave-out to go on without them; nothing was written",
        )


def _named(suite: Suite, task: Task) -> str:
    return f"{suite.path.name}:{task.id}"
