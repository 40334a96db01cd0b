"""Episodes: one attempt at one task over a fresh state of a world."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import apsw

from tools.access.persona import Persona
from tools.access.policy import Decision, Opinion, Policy
from tools.dispatch import Observation, dispatch
from tools.outcome import Outcome
from tools.sqlite.sandbox import SandboxPool
from tools.statuses import EpisodeStatus
from tools.tool_context import DENIED, ToolContext
from tools.toolkit import Toolset
from tools.usage import Usage
from tools.world_kind import WorldKind

if TYPE_CHECKING:
    from retrievers.index.library import Library


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One tool call of an episode.

    Attributes:
        arguments: as the agent gave them.
        decision: of the policy; None when the call never got that far.
        reads: references of the records that the call has read, sorted; see `ToolContext.reads`. Of a denied
            call `DENIED` is among them.
    """

    tool: str
    arguments: Any
    observation: Observation
    decision: Decision | None
    seconds: float
    reads: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able data (durations left out: they differ from run to run)."""
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
"""The role of what is no message: the functions that a request offers."""


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
        reply: as text; empty if none came.
    """

    repeated: int
    messages: tuple[Message, ...]
    reply: str


@dataclass(frozen=True, slots=True)
class AskRecord:
    """One question to a model.

    Attributes:
        call: how many tool calls had been made before it.
        exchange: the prompt and the reply.
        finish_reason: why the model stopped: `stop`, `length`, `tool_call`, `content_filter`, `refusal` or
            `error`; empty where nothing is known.
    """

    part: Part
    call: int
    usage: Usage
    seconds: float
    exchange: Exchange | None = None
    finish_reason: str = ""


class Episode:
    """One attempt at one task: fresh state, a persona, a clock, a toolset.

    Attributes:
        world: the mark of the world that the episode is in, see `Environment.unreadable`.
        ask: asks the agent's own model, for tools that do; None where there is none.
        backend: see `Environment.backend`.

    Between calls an episode holds no database, only the changeset of what it has changed so far, so
    thousands can wait for a model at the same time. Not thread-safe; different episodes are
    independent of each other.
    """

    def __init__(
        self,
        pool: SandboxPool,
        kind: WorldKind,
        persona: Persona,
        now: datetime,
        toolset: Toolset,
        policy: Policy,
        library: Library | None = None,
        *,
        world: str = "",
        backend: object | None = None,
    ) -> None:
        self.kind = kind
        self.persona = persona
        self.now = now
        self.toolset = toolset
        self.policy = policy
        self.library = library
        self.world = world
        self.backend = backend
        self.ask: Callable[[str], str] | None = None
        self.changeset = b""
        self.calls: list[CallRecord] = []
        self._pool = pool

    def call(self, name: str, arguments: Any) -> Observation:
        """Call a tool. Whatever goes wrong comes back as an observation; nothing is raised."""
        start = time.perf_counter()
        self._reads: set[str] = set()
        self._granted: list[Decision] = []
        observation, decision = dispatch(name, arguments, self)
        if observation.status == "ok" and self._granted:
            decision = self._granted[-1]  # by which rule this very record was open
        if observation.status == "denied":
            self._reads.add(DENIED)
        seconds = time.perf_counter() - start
        self.calls.append(
            CallRecord(name, arguments, observation, decision, seconds, tuple(sorted(self._reads)))
        )
        return observation

    def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool's function on the episode's state; for the dispatch point only."""
        tool = self.toolset[name]

        def body(connection: apsw.Connection) -> Any:
            ctx = self.ctx(connection)
            self._reads, self._granted = ctx.reads, ctx.granted
            return tool.function(ctx, **arguments)

        with self._pool.borrow() as sandbox:
            if not tool.writes:
                return sandbox.read(self.changeset, body)
            value, self.changeset = sandbox.run(self.changeset, body)
            return value

    def ctx(self, connection: apsw.Connection) -> ToolContext:
        """What a tool gets to see of this episode, over a database that shows its state."""
        return ToolContext(
            connection,
            self.now,
            self.persona,
            self.policy,
            self.changeset,
            self.library,
            self.ask,
            tuple(_result(call.observation) for call in self.calls),
            self.backend,
        )

    def copy(self) -> Episode:
        """An episode of its own that stands where this one does; nothing that it does is seen here."""
        twin = Episode(
            self._pool,
            self.kind,
            self.persona,
            self.now,
            self.toolset,
            self.policy,
            self.library,
            world=self.world,
            backend=self.backend,
        )
        twin.changeset = self.changeset
        twin.calls = list(self.calls)
        return twin

    def outcome(self) -> Outcome:
        """What the episode has changed so far."""
        return Outcome(self.changeset, self.kind.tables)


def _result(observation: Observation) -> Any:
    """What a call returned; None if it failed."""
    return observation.value if observation.status == "ok" else None


@dataclass
class EpisodeResult:
    """What an episode left, for scorers, logs and people.

    Attributes:
        thoughts: the agent's thought before each call; empty strings where it gave none.
        opinions: of its own access checker on each call; empty where it asked no model about them.
        plan: the plan it followed, if any.
        answer: its final message.
        answer_status: whether it says to have `answered`, been `denied` or `not_found` anything; empty where
            the world kind does not ask for it.
        asks: the questions to models, in order; empty where a program does not keep them.
        model_calls: number of questions to models, those about replies that could not be read included.
        usage: what they took; see `Usage.all_paid` for programs that know of no cache.
        seconds: wall time.
        error: what failed, for a status other than `finished`.
        traceback: of an exception that is a mistake in the program; see `evals.lm.failures`.
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

    def __repr__(self) -> str:
        calls = json.dumps([call.tool for call in self.calls])
        return f"EpisodeResult({self.status}, calls={calls}, answer={self.answer!r})"
