"""Episodes: one attempt at one task over a fresh state of a world."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw

from tools.dispatch import Observation, Run, dispatch
from tools.episode_result import CallRecord
from tools.persona import Persona
from tools.policy import DENIED, Decision, Policy
from tools.sqlite.outcome import Outcome
from tools.sqlite.sandbox import SandboxPool
from tools.tool import Tool, Toolset
from tools.tool_context import ToolContext
from tools.world_kind import WorldKind

if TYPE_CHECKING:
    from retrievers.index.library import Library


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
        ask: Callable[[str], str] | None = None,
    ) -> None:
        self.kind = kind
        self.persona = persona
        self.now = now
        self.toolset = toolset
        self.policy = policy
        self.library = library
        self.world = world
        self.backend = backend
        self.ask = ask
        self.changeset = b""
        self.calls: list[CallRecord] = []
        self._pool = pool

    def call(self, name: str, arguments: Any) -> Observation:
        """Call a tool. Whatever goes wrong comes back as an observation.

        Raises:
            RetrievalError, InfrastructureError: see `dispatch`.
        """
        start = time.perf_counter()
        reads: set[str] = set()
        granted: list[Decision] = []

        def run(tool: Tool, checked: Mapping[str, Any]) -> Any:
            return self._run(tool, checked, reads, granted)

        observation, decision = self._dispatch(name, arguments, run)
        if observation.status == "ok" and granted:
            decision = granted[-1]  # by which rule this very record was open
        if observation.status == "denied":
            reads.add(DENIED)
        seconds = time.perf_counter() - start
        self.calls.append(CallRecord(name, arguments, observation, decision, seconds, tuple(sorted(reads))))
        return observation

    def refuse(self, name: str, arguments: Any, reason: str) -> Observation:
        """Keep on record a call that is not made, since the agent's own access check is against it."""
        text = f"Your own access check refused {name}, so it was not called. {reason}".rstrip()
        observation = Observation("refused", text, text)
        self.calls.append(CallRecord(name, arguments, observation, None, 0.0))
        return observation

    def offer(self, toolset: Toolset) -> None:
        """Offer these tools, and no others, from the next call on."""
        self.toolset = toolset

    def call_all(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Observation]:
        """Make calls that are all known beforehand, with the effect of making them one after another.

        The sandbox is borrowed and the changes are captured once instead of once a call. A call that fails
        changes nothing. The calls are not added to `calls`.
        """
        calls = list(calls)

        def body(connection: apsw.Connection) -> list[Observation]:
            ctx = self.context(connection)

            def run(tool: Tool, checked: Mapping[str, Any]) -> Any:
                before = connection.total_changes()
                keep = False
                try:
                    value = tool.function(ctx, **checked)
                    keep = tool.writes
                    return value
                finally:
                    if not keep and connection.total_changes() != before:
                        raise _HalfDoneError

            return [
                dispatch(name, arguments, self.toolset, self.policy, self.persona, run)[0]
                for name, arguments in calls
            ]

        with self._pool.borrow() as sandbox:
            try:
                observations, self.changeset = sandbox.run(self.changeset, body)
                return observations
            except _HalfDoneError:
                pass
        # Rare enough that the common case need not pay for a savepoint a call.
        return [
            dispatch(name, arguments, self.toolset, self.policy, self.persona, self._run)[0]
            for name, arguments in calls
        ]

    def context(
        self,
        connection: apsw.Connection,
        reads: set[str] | None = None,
        granted: list[Decision] | None = None,
    ) -> ToolContext:
        """What a tool gets to see of this episode, over a database that shows its state.

        Args:
            reads, granted: what the context writes into, see `ToolContext`; None is something of its own.
        """
        return ToolContext(
            connection,
            self.now,
            self.persona,
            self.policy,
            self.changeset,
            self.library,
            self.ask,
            tuple(call.observation.value if call.observation.status == "ok" else None for call in self.calls),
            self.backend,
            set() if reads is None else reads,
            [] if granted is None else granted,
        )

    def _dispatch(self, name: str, arguments: Any, run: Run) -> tuple[Observation, Decision | None]:
        return dispatch(name, arguments, self.toolset, self.policy, self.persona, run)

    def _run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reads: set[str] | None = None,
        granted: list[Decision] | None = None,
    ) -> Any:
        def body(connection: apsw.Connection) -> Any:
            return tool.function(self.context(connection, reads, granted), **arguments)

        with self._pool.borrow() as sandbox:
            if not tool.writes:
                return sandbox.read(self.changeset, body)
            value, self.changeset = sandbox.run(self.changeset, body)
            return value

    def copy(self) -> Episode:
        """An independent episode in the same state."""
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
        """The changes of the episode so far."""
        return Outcome(self.changeset, self.kind.tables)


class _HalfDoneError(BaseException):
    """A call changed something and then failed, or only reads: its change has to be undone.

    Not an `Exception`, so that the dispatch point does not take it for a failure of the tool.
    """
