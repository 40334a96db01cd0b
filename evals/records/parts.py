"""What an episode's record is made of, as plain data: calls, questions to models, changes, verdicts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, InstanceOf

from tools.episode_result import Exchange, Usage
from tools.statuses import EpisodeStatus

VerdictStatus = Literal["ok", "unreadable"] | EpisodeStatus
"""How a judge's verdict came out."""


class Entry(BaseModel):
    """A part of a record: never changed once made, and no fields but those that are known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Used(Entry, Usage):
    """A part that asked models, with their usage among its fields."""

    @property
    def usage(self) -> Usage:
        """The usage alone."""
        return Usage(**{name: getattr(self, name) for name in Usage.model_fields})


PAID = frozenset({"paid_requests", "paid_prompt_tokens", "paid_completion_tokens"})
"""Of what was used, what depends on what a cache held."""


class CallEntry(Entry):
    """One tool call as it is kept: what was asked, what the policy decided, what the agent saw.

    `opinion` is what the agent's own access checker said before, if it asked a model. Of a call that it
    refrained from, `allowed` and `rule` are what the policy would have decided.
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
        part: of the program that asked: `plan`, `select`, `check`, or `tool` where a tool asked for it.
        call: how many tool calls had been made before it.
        finish_reason: why the model stopped: `stop`, `length`, `tool_call`, `content_filter`, `refusal` or
            `error`; empty where nothing is known.
        exchange: the prompt and the reply, of an episode that this process ran; no log holds them.
    """

    part: Literal["plan", "select", "check", "tool"]
    call: int
    seconds: float = 0.0
    finish_reason: str = ""
    exchange: InstanceOf[Exchange] | None = Field(default=None, exclude=True)


class ChangeEntry(Entry):
    """What happened to one row of the world, see `tools.outcome.RowChange`; long cells are cut."""

    table: str
    operation: Literal["insert", "update", "delete"]
    row: int = 0
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}


class Judgement(Used):
    """A judge's verdict on one episode, and what judging took; that is no part of the agent's cost.

    Attributes:
        judge: its name, e.g. `local/rubric` or `openai/gpt-4o`.
        rubric: name of the rubric that it judged by.
        status: `ok`, or why there is no score: `unreadable` if its replies could not be read, else how asking
            it ended, see `tools.statuses`.
        level: from 1 to 5; None without a score.
        feedback: why.
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


class FaultEntry(Entry):
    """What went wrong in an episode first.

    Attributes:
        kind: of the fault, one of `evals.failure_modes`.
        step: number of the first call that was wrong, from 1; None where it is no call.
        detail: in one sentence.
        source: whether rules found it or a judge.
    """

    kind: str
    step: int | None = None
    detail: str = ""
    source: Literal["rules", "judge"] = "rules"
