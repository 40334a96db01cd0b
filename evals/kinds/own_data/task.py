"""Tasks over a user's own tables, with their expectations."""

from __future__ import annotations

from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.judging.rubric import Rubric
from worksmith.evals.kinds.own_data.metrics import OwnMetric
from worksmith.evals.kinds.own_data.values import Expected, Status, Value
from worksmith.evals.tasks.task import Answer, Task
from worksmith.tools.seeding import digest

Cells = dict[str, Value]
"""Expected values of a row by column."""


class TableChanges(BaseModel):
    """The expected changes of one table.

    Attributes:
        rows: by key, the changed cells of a row; None for a row that is deleted.
        new: the new rows; columns that are not named are free.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: dict[str, Cells | None] = Field(default_factory=dict)
    new: tuple[Cells, ...] = ()


class OwnTask(Task):
    """A task whose expectation a user wrote.

    Attributes:
        wanted: the expected answer; None if no answer is compared.
        changes: the expected changes by table; None if the tables are not compared with stated changes.
        free_state: whether any change counts as right, since only a metric or a judge decides.
        metric: of the user's; None without one.
        rubric: by which a judge's verdict is part of the outcome; None without one.
    """

    wanted: Expected | None = None
    changes: dict[str, TableChanges] | None = None
    free_state: bool = False
    metric: OwnMetric | None = None
    rubric: Rubric | None = None

    @cached_property
    def digest(self) -> str:
        """Content address of all fields, the code of the metric included."""
        return digest(
            [self.model_dump(mode="json", exclude_defaults=True, by_alias=True, exclude={"origin"})]
        )

    @property
    def checkable(self) -> bool:
        """True: every task has an expectation."""
        return True

    @property
    def changing(self) -> bool:
        """Whether it states changes of the tables."""
        return bool(self.expected or self.changes)

    @property
    def judged(self) -> bool:
        """Whether a judge's verdict by its own rubric is part of the outcome."""
        return self.rubric is not None


def generic_answer(
    wanted: Expected | None, reference: str, *, changed: bool, partial: bool = False
) -> Answer | None:
    """The expected answer as gold plans, judges and reports of all kinds of tasks understand it.

    Args:
        wanted: the expected answer of the task.
        reference: a right answer in words.
        changed: whether the tables are compared.
        partial: see `Answer`.
    """
    if isinstance(wanted, Status):
        return Answer(kind="denial" if wanted.status == "denied" else "none", reference=reference)
    if wanted is None and changed:
        return Answer(kind="done", reference=reference, wording="sentence")
    if wanted is None and not reference:
        return None
    required = wanted.entities if wanted is not None else ()
    return Answer(
        kind="entities",
        required=required,
        reference=reference,
        partial=partial,
        wording="values" if required else "sentence",
    )
