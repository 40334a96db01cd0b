"""The results of an episode: its calls, its questions to models, its outcome."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

from pydantic import NonNegativeInt

from worksmith.tools.dispatch import Observation
from worksmith.tools.policy import Decision, Opinion
from worksmith.tools.sqlite.outcome import Outcome
from worksmith.tools.statuses import EpisodeStatus


class Tokens(NamedTuple):
    """Numbers of tokens.

    Attributes:
        prompt: all tokens of prompts, those in a provider's prompt cache included.
        completion: all tokens of replies.
        cached: of the prompts, read from the provider's cache.
        cache_write: of the prompts, written to the cache at its own price.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and requests of one or more questions to models.

    Used tokens do not depend on where replies come from. Paid are the requests that reached a model, failed
    ones and further tries included, and the tokens of those that it answered; a reply out of a cache, a
    journal or a recording is not paid.

    Attributes:
        prompt_tokens, completion_tokens: used.
        cached_tokens, cache_write_tokens: parts of the used prompt tokens, see `Tokens`.
        paid_cached_tokens, paid_cache_write_tokens: the same of the paid ones.
        estimated: whether some tokens were estimated, because the model's server reports no usage.
        uncounted: whether requests are uncounted, so that the numbers are too small.
    """

    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0
    paid_requests: NonNegativeInt = 0
    paid_prompt_tokens: NonNegativeInt = 0
    paid_completion_tokens: NonNegativeInt = 0
    cached_tokens: NonNegativeInt = 0
    cache_write_tokens: NonNegativeInt = 0
    paid_cached_tokens: NonNegativeInt = 0
    paid_cache_write_tokens: NonNegativeInt = 0
    estimated: bool = False
    uncounted: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.paid_requests + other.paid_requests,
            self.paid_prompt_tokens + other.paid_prompt_tokens,
            self.paid_completion_tokens + other.paid_completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.paid_cached_tokens + other.paid_cached_tokens,
            self.paid_cache_write_tokens + other.paid_cache_write_tokens,
            self.estimated or other.estimated,
            self.uncounted or other.uncounted,
        )

    @property
    def used_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def paid_tokens(self) -> int:
        return self.paid_prompt_tokens + self.paid_completion_tokens

    @property
    def paid(self) -> Usage:
        return Usage(
            paid_requests=self.paid_requests,
            paid_prompt_tokens=self.paid_prompt_tokens,
            paid_completion_tokens=self.paid_completion_tokens,
            paid_cached_tokens=self.paid_cached_tokens,
            paid_cache_write_tokens=self.paid_cache_write_tokens,
        )

    @property
    def tokens(self) -> Tokens:
        """The used tokens."""
        return Tokens(self.prompt_tokens, self.completion_tokens, self.cached_tokens, self.cache_write_tokens)

    @property
    def billed(self) -> Tokens:
        """The paid tokens."""
        return Tokens(
            self.paid_prompt_tokens,
            self.paid_completion_tokens,
            self.paid_cached_tokens,
            self.paid_cache_write_tokens,
        )

    def __str__(self) -> str:
        """Both figures; `~` marks estimates."""
        if self.uncounted:
            return "unknown tokens"
        counts = (self.used_tokens, self.paid_tokens)
        used, paid = (f"{'~' if self.estimated and count else ''}{count:,}" for count in counts)
        return f"{used} used tokens, {paid} paid tokens"

    @classmethod
    def all_paid(
        cls,
        prompt_tokens: int,
        completion_tokens: int,
        cached_tokens: int = 0,
        cache_write_tokens: int = 0,
        *,
        requests: int,
    ) -> Self:
        """The usage of requests that reached a model; see `Tokens` for the numbers."""
        return cls(
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            paid_requests=requests,
            paid_prompt_tokens=prompt_tokens,
            paid_completion_tokens=completion_tokens,
            cached_tokens=cached_tokens,
            cache_write_tokens=cache_write_tokens,
            paid_cached_tokens=cached_tokens,
            paid_cache_write_tokens=cache_write_tokens,
        )


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One tool call of an episode.

    Attributes:
        tool: its full name, `toolkit.function`.
        arguments: by name, as JSON has them.
        observation: the reply.
        decision: of the policy; None when the call never got that far.
        reads: references of the records that the call has read, sorted; see `ToolContext.reads`. Of a denied
            call `DENIED` is among them.
        wrote: whether it changed rows.
    """

    tool: str
    arguments: Any
    observation: Observation
    decision: Decision | None
    seconds: float
    reads: tuple[str, ...] = ()
    wrote: bool = False

    def to_json(self) -> dict[str, Any]:
        """`tool`, `arguments`, `status`, `observation` (the text) and `rule`, which the policy decided by."""
        return {
            "tool": self.tool,
            "arguments": self.arguments,
            "status": self.observation.status,
            "observation": self.observation.text,
            "rule": self.decision.rule if self.decision else None,
        }


Part = Literal["plan", "select", "check", "tool"]
"""Of a program, that asks a model: its planner, tool selector, access checker, or a tool that it called."""


TOOLS = "tools"
"""The role for the functions that a request offers."""


class Message(NamedTuple):
    """One message of a prompt, as text.

    Attributes:
        role: `system`, `user`, `assistant`, `tool`, or `TOOLS`.
    """

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """The prompt of a question and the reply to it.

    Attributes:
        repeated: how many first messages of the prompt are those of the question before by the same part.
        messages: those after them.
        reply: as text; empty without one.
    """

    repeated: int
    messages: tuple[Message, ...]
    reply: str


UNREADABLE = "unreadable"
"""The reading of a reply that could not be read."""


@dataclass(frozen=True, slots=True)
class AskRecord:
    """One question to a model.

    Attributes:
        call: how many tool calls had been made before it.
        exchange: the prompt and the reply.
        finish_reason: why the model stopped: `stop`, `length`, `tool_call`, `content_filter`, `refusal` or
            `error`; empty if unknown.
        model: the name of the model, if a part asked another one; empty for the program's.
        reading: the leniencies by which the reply was read, or `UNREADABLE`; empty for a reply as asked for.
    """

    part: Part
    call: int
    usage: Usage
    seconds: float
    exchange: Exchange | None = None
    finish_reason: str = ""
    model: str = ""
    reading: str = ""


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record that an agent reports without a call, such as from its own search.

    It cannot be checked, so it may be a leak, and is no evidence.

    Attributes:
        reference: `table/key`.
        text: its fields; empty ones without such a record.
        readable: whether the persona may read it.
    """

    reference: str
    text: str
    readable: bool


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """A span that the program's framework emitted through OpenTelemetry.

    Attributes:
        parent: the place of the span that it is below, among those of the episode; None without one.
        start: seconds after the begin of the episode.
        error: empty without one.
        attributes: of the semantic conventions for generative models, long ones cut.
    """

    name: str
    parent: int | None
    start: float
    seconds: float
    error: str
    attributes: dict[str, str | int | float | bool]


@dataclass
class EpisodeResult:
    """The result of an episode, for scorers, logs and people.

    Attributes:
        status: `finished`, or how it ended otherwise.
        outcome: its changes.
        calls: of tools, in order, those that failed too.
        thoughts: the agent's thought before each call; empty strings without one.
        opinions: of its access checker on each call; empty if it asked no model about them.
        plan: the plan it followed, if any.
        answer: its final message.
        answer_status: its status `answered`, `denied` or `not_found`; empty if the world kind has no status.
        asks: the questions to models, in order; empty if a program does not keep them.
        model_calls: number of questions to models, those about replies that could not be read included.
        usage: their usage; see `Usage.all_paid` for programs that know of no cache.
        seconds: wall time.
        error: what failed, for a status other than `finished`.
        traceback: of an exception that is a mistake in the program.
        prediction: of the program, for metrics.
        spans: that the program's framework emitted.
        shown: records that the agent saw otherwise than by calls.
    """

    status: EpisodeStatus
    outcome: Outcome
    calls: list[CallRecord] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    opinions: list[Opinion | None] = field(default_factory=list)
    plan: str = ""
    answer: str = ""
    answer_status: str = ""
    asks: list[AskRecord] = field(default_factory=list)
    model_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str | None = None
    traceback: str = ""
    prediction: Any = None
    spans: tuple[SpanRecord, ...] = ()
    shown: list[ShownRecord] = field(default_factory=list)

    def __repr__(self) -> str:
        calls = json.dumps([call.tool for call in self.calls])
        return f"EpisodeResult({self.status}, calls={calls}, answer={self.answer!r})"
