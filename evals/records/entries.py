"""Parts of an episode's record, as plain data: calls, questions to models, changes, verdicts."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, NonNegativeInt

from worksmith.tools.episode_result import Exchange, Usage
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.statuses import EpisodeStatus

VerdictStatus = Literal["ok", "unreadable"] | EpisodeStatus
"""The status of a judge's verdict."""


Rare = Annotated[NonNegativeInt, Field(exclude_if=lambda number: number == 0)]
"""A number that is left out of data where it is 0."""

Seldom = Annotated[bool, Field(exclude_if=lambda mark: not mark)]
"""A mark that is left out of data where it is not set."""


class RecordEntry(BaseModel):
    """A part of a record: immutable, with known fields only."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Used(RecordEntry):
    """A part that asked models, with the fields of their usage among its own."""

    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0
    paid_requests: NonNegativeInt = 0
    paid_prompt_tokens: NonNegativeInt = 0
    paid_completion_tokens: NonNegativeInt = 0
    cached_tokens: Rare = 0
    cache_write_tokens: Rare = 0
    paid_cached_tokens: Rare = 0
    paid_cache_write_tokens: Rare = 0
    estimated: bool = False
    uncounted: Seldom = False

    @property
    def usage(self) -> Usage:
        return Usage(**counts(self))

    def with_paid(self, more: Used | Usage) -> Self:
        return self.model_copy(update={name: getattr(self, name) + getattr(more, name) for name in PAID})


_COUNTS = tuple(each.name for each in fields(Usage))


def counts(usage: Used | Usage) -> dict[str, Any]:
    """The counts of a usage by name, without the copies in depth of `asdict`."""
    return {name: getattr(usage, name) for name in _COUNTS}


PAID = frozenset(name for name in _COUNTS if name.startswith("paid_"))
"""Fields of `Used` that depend on the cache of replies."""

PROVIDER_CACHED = frozenset({"cached_tokens", "cache_write_tokens"})
"""Fields of `Used` that depend on the provider's cache of prompts."""


class CallEntry(RecordEntry):
    """One tool call: the request, the policy's decision and the observation.

    Attributes:
        opinion: of the agent's access checker, if it asked a model. For a call that the checker refused,
            `allowed` and `rule` are the decision that the policy would have made.
    """

    tool: str
    arguments: Any
    status: str
    allowed: bool = True
    rule: str = ""
    observation: str = ""
    truncated: bool = False
    thought: str = ""
    opinion: str = ""
    opinion_reason: str = ""
    seconds: float = 0.0


class AskEntry(Used):
    """One question to a model during an episode.

    Attributes:
        part: of the program that asked: `plan`, `select`, `check`, or `tool` for a question by a tool.
        call: the number of tool calls before it.
        finish_reason: why the model stopped: `stop`, `length`, `tool_call`, `content_filter`, `refusal` or
            `error`; empty if unknown.
        model: the name of the model, if a part asked another one; empty for the program's.
        reading: the leniencies by which the reply was read, or `unreadable`; empty for a reply as asked for.
        exchange: the prompt and the reply, in the process that ran the episode; no log holds them.
    """

    part: Literal["plan", "select", "check", "tool"]
    call: int
    seconds: float = 0.0
    finish_reason: str = ""
    model: Annotated[str, Field(exclude_if=lambda model: not model)] = ""
    reading: Annotated[str, Field(exclude_if=lambda reading: not reading)] = ""
    exchange: InstanceOf[Exchange] | None = Field(default=None, exclude=True)


class SpanEntry(RecordEntry):
    """A span that the program's framework emitted, see `worksmith.tools.episode_result.SpanRecord`."""

    name: str
    parent: NonNegativeInt | None = None
    start: float
    seconds: float
    error: str = ""
    attributes: dict[str, str | int | float | bool] = {}


class ChangeEntry(RecordEntry):
    """A `worksmith.tools.sqlite.outcome.RowChange`; long cells are cut."""

    table: str
    operation: Literal["insert", "update", "delete"]
    key: CellValue = None
    row: int = 0
    before: dict[str, CellValue] = {}
    after: dict[str, CellValue] = {}


class Judgement(Used):
    """A judge's verdict on one episode, with its cost, which does not count as the agent's.

    Attributes:
        judge: its name, e.g. `local/rubric` or `openai/gpt-4o`.
        rubric: name of the rubric that it judged by.
        status: `ok`; `unreadable` for a reply that could not be read; else see `worksmith.tools.statuses`.
        level: from 1 to 5; None without a score.
    """

    judge: str
    rubric: str
    status: VerdictStatus = "ok"
    level: int | None = None
    feedback: str = ""
    seconds: float = 0.0

    @property
    def score(self) -> float | None:
        """The level from 0 to 1: 1 is 0, 5 is 1."""
        return None if self.level is None else (self.level - 1) / 4

    @property
    def passed(self) -> bool | None:
        """Whether the level is 4 or 5."""
        return None if self.level is None else self.level >= 4


class FaultEntry(RecordEntry):
    """The first mistake of an episode.

    Attributes:
        kind: of the fault, one of `worksmith.evals.failure_modes`.
        step: number of the first wrong call, from 1; None if no call is wrong.
        detail: one sentence.
        source: of the finding.
    """

    kind: str
    step: int | None = None
    detail: str = ""
    source: Literal["rules", "judge"] = "rules"
