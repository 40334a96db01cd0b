"""The lines of a task file, checked by themselves: fields, forms of expectations, faults with their place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from worksmith.evals.kinds.own_data.task import TableChanges
from worksmith.evals.kinds.own_data.values import Expected, Status
from worksmith.retrievers.texts.words import folded
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.numbers import python_numbers
from worksmith.tools.user import User

NEW = "new"
"""The key of a table's changes under which its new rows are listed."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]


def _by_row(value: Any) -> Any:
    """The changes of a table: a list of new rows, or rows by key, with new ones under `NEW`."""
    if isinstance(value, list):
        return {"new": value}
    if not isinstance(value, dict):
        return value
    rows = {str(key): cells for key, cells in value.items() if not (key == NEW and isinstance(cells, list))}
    return {"rows": rows, "new": value[NEW] if len(rows) < len(value) else []}


class CallLine(BaseModel):
    """A call that a task expects."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: Text
    arguments: dict[str, Any] = Field(default_factory=dict)


class StepLine(CallLine):
    """A step of a gold plan, see `worksmith.evals.tasks.task.Step`."""

    why: str = ""
    after: tuple[int, ...] = ()


class TaskLine(BaseModel):
    """One line of a task file. Only the query and one expectation are required.

    Attributes:
        persona: the id of the persona; empty for the environment's own.
        toolkits: the toolkits on offer; None for all.
        plan: the steps that solve it; an empty one means that no call is right.
        reference: a right answer in words, for judges and for the end of the gold plan.
        slots: the values in the query that come from records, each by a name of yours. With them and a plan
            others than those who may read the records can be shown a demonstration with made-up values.
        user: who answers the agent by rule, see `worksmith.tools.user.User`.
        partial: whether the persona may read only a part of the answer, which its status should show.
        procedure: rules for the course of an episode, see `worksmith.tools.procedure.ProcedureRule`.
        metric: `module:function`, or in Python the function itself.
        judge: a rubric: a criterion in words, or the name of a rubric file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    query: Text
    context: str = ""
    persona: Annotated[str, Field(coerce_numbers_to_str=True)] = ""
    split: Literal["train", "dev", "test"] | None = None
    intent: str = ""
    now: datetime | None = None
    toolkits: tuple[str, ...] | None = None
    slots: dict[str, Text] = Field(default_factory=dict)
    user: User | None = None
    answer: Expected | None = None
    reference: str = ""
    partial: bool = False
    changes: dict[str, Annotated[TableChanges, BeforeValidator(_by_row)]] | None = None
    calls: tuple[CallLine, ...] | None = None
    plan: tuple[StepLine, ...] | None = None
    procedure: tuple[dict[str, Any], ...] = ()
    metric: Any = None
    judge: str = ""

    @model_validator(mode="after")
    def _expects(self) -> TaskLine:
        expected = (self.answer, self.changes, self.calls, self.plan, self.metric, self.judge or None)
        if all(each is None for each in expected):
            raise ValueError("it expects nothing: give answer, changes, calls, plan, metric or judge")
        if self.changes is not None and self.calls is not None:
            raise ValueError("changes and calls say the same: give one of them")
        if self.partial and (self.answer is None or isinstance(self.answer, Status)):
            raise ValueError("partial is said of an answer: give the values that the persona may read")
        strange = [name for name, value in self.slots.items() if folded(value) not in folded(self.query)]
        if strange:
            raise ValueError(f"slots.{strange[0]}: its value is not in the query")
        if self.metric is not None and not (isinstance(self.metric, str) or callable(self.metric)):
            raise ValueError("metric is MODULE:FUNCTION")
        for place, step in enumerate(self.plan or ()):
            if any(not 0 <= earlier < place for earlier in step.after):
                raise ValueError(f"plan.{place}.after: a step can only come after earlier ones, from 0")
        return self


_FIELDS: dict[str, type[BaseModel]] = {"plan": StepLine, "calls": CallLine, "user": User}


def parse_line(value: Any, where: str) -> TaskLine:
    """The line that a JSON value is."""
    if not isinstance(value, dict):
        raise InputError("not a task: an object is needed", where=where)
    try:
        return TaskLine.model_validate(python_numbers(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(_path(first["loc"], value))
        if first["type"] == "extra_forbidden":
            *above, name = _path(first["loc"], value)
            model = TaskLine if not above else _FIELDS.get(above[0])
            known = sorted(model.model_fields) if model else ()
            place = f"{where}: {'.'.join(above)}" if above else where
            raise unknown("no field", name, known, place) from error
        if first["type"] == "missing":
            field = ".".join([*_path(first["loc"][:-1], value), str(first["loc"][-1])])
            raise InputError("it is missing", where=f"{where}: {field}") from error
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(
            message[:1].lower() + message[1:], where=f"{where}: {field}" if field else where
        ) from error


def _path(loc: Sequence[str | int], value: Any) -> list[str]:
    """The keys and places of a fault in the value as it was written."""
    path = []
    for part in loc:
        inside = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if inside or (isinstance(value, dict) and part in value):
            value = value[part]
            path.append(str(part))
    return path
