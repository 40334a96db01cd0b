"""Episodes: one attempt at one task over a fresh state of a world."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from worksmith.tools.access.access_policy import key_column
from worksmith.tools.dispatch import Observation, bad_arguments, dispatch, plain_arguments, run_tool
from worksmith.tools.episode_result import CallRecord, EpisodeResult
from worksmith.tools.persona import Persona
from worksmith.tools.planting import Planted
from worksmith.tools.policy import DENIED, Decision, Policy
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.outcome import Cell, Outcome, Place, RowChange
from worksmith.tools.sqlite.sandbox import SandboxPool
from worksmith.tools.sqlite.schema import ROW, columns_sql, quoted
from worksmith.tools.tool import Tool, Toolset
from worksmith.tools.tool_context import PastCall, ToolContext
from worksmith.tools.user import User
from worksmith.tools.user_tool import ASK_USER
from worksmith.tools.world_kind import WorldKind

if TYPE_CHECKING:
    from worksmith.retrievers.index.library import Library

T = TypeVar("T")


class Episode:
    """One attempt at one task: fresh state, a persona, a clock, a toolset.

    Attributes:
        kind: the world's kind.
        persona: the person that the agent works for.
        now: the episode's clock; it stands still.
        toolset: the tools on offer.
        policy: the access rules.
        library: the search indexes over the world; None if its tools do not search.
        world: the reference of the world, see `Environment.unreadable`.
        backend: the live system that tools work on, see `Environment.backend`; None for the world itself.
        ask: asks the agent's own model, for tools that need one; None without one.
        planted: a text that the agent sees in the place of another; None for the records as they are.
        user: who answers `ask_user`, which is on offer then; None without one.
        changeset: the changes so far, as SQLite writes them.
        written: see `Outcome`.
        calls: the records of the calls so far.

    Between calls an episode holds a changeset and no database, so thousands can wait for a model at the same
    time. Not thread-safe; different episodes are independent of each other.
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
        planted: Planted | None = None,
        user: User | None = None,
    ) -> None:
        self.kind = kind
        self.persona = persona
        self.now = now
        self.user = user
        self.toolset = toolset if user is None else {**toolset, ASK_USER.name: ASK_USER}
        self.policy = policy
        self.library = library
        self.world = world
        self.backend = backend
        self.ask = ask
        self.planted = planted
        self.changeset = b""
        self.written: frozenset[Cell] = frozenset()
        self.calls: list[CallRecord] = []
        self._pool = pool
        self._follow = _FOLLOWER.get()

    def call(self, name: Any, arguments: Any) -> Observation:
        """Call a tool. Errors of the agent or of the tool come back as an observation.

        Args:
            name: the name of the tool, `toolkit.function`.
            arguments: by name, as the agent gave them; they are validated here.

        Raises:
            RetrievalError, InfrastructureError: see `dispatch`.
        """
        start = time.perf_counter()
        reads: set[str] = set()
        granted: list[Decision] = []
        run = partial(self._run, reads=reads, granted=granted)
        name = name if isinstance(name, str) else type(name).__name__
        decision: Decision | None = None
        before = self.changeset
        arguments, fault = plain_arguments(arguments)
        if fault:
            observation = bad_arguments(name, fault)
        else:
            meant = arguments if self.planted is None else self.planted.meant(arguments)
            observation, decision = dispatch(name, meant, self.toolset, self.policy, self.persona, run)
            if self.planted is not None:
                observation = self.planted.shown(name, observation)
        if observation.status == "ok" and granted:
            decision = granted[-1]  # the rule that opened this record
        if observation.status == "denied":
            reads.add(DENIED)
        seconds = time.perf_counter() - start
        wrote = self.changeset != before
        self._keep(CallRecord(name, arguments, observation, decision, seconds, tuple(sorted(reads)), wrote))
        return observation

    def refuse(self, name: str, arguments: Any, reason: str) -> Observation:
        """Record a call that the agent's own access check refused; it is not made."""
        text = f"Your own access check refused {name}, so it was not called. {reason}".rstrip()
        observation = Observation("refused", text, text)
        self._keep(CallRecord(name, plain_arguments(arguments)[0], observation, None, 0.0))
        return observation

    def _keep(self, call: CallRecord) -> None:
        self.calls.append(call)
        if self._follow is not None:
            self._follow(call)

    def offer(self, toolset: Toolset) -> None:
        """Offer these tools, and no others, from the next call on."""
        self.toolset = toolset

    def call_all(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Observation]:
        """Make several calls one after another, faster than `call` does.

        The sandbox is borrowed and the changes are captured once for all. A call that fails changes nothing.
        The calls are not added to `calls`.

        Args:
            calls: the names of tools, each with its arguments.
        """
        calls = list(calls)

        def body(connection: apsw.Connection) -> tuple[list[Observation], set[Cell]]:
            ctx = self.context(connection)

            def run(tool: Tool, checked: Mapping[str, Any]) -> Any:
                before = connection.total_changes()
                keep = False
                try:
                    value = run_tool(tool, ctx, checked)
                    keep = tool.writes
                    return value
                finally:
                    if not keep and connection.total_changes() != before:
                        raise _HalfDoneError

            observations = [
                dispatch(name, arguments, self.toolset, self.policy, self.persona, run)[0]
                for name, arguments in calls
            ]
            return observations, ctx.written

        with self._pool.borrow() as sandbox:
            try:
                (observations, written), self.changeset = sandbox.run(self.changeset, body)
                self.written |= written
                return observations
            except _HalfDoneError:
                pass
        # A half-done call is rare, so that a savepoint for every call would cost more than a second run.
        return [
            dispatch(name, arguments, self.toolset, self.policy, self.persona, self._run)[0]
            for name, arguments in calls
        ]

    def edit(self, body: Callable[[apsw.Connection], T]) -> T:
        """Read and change the tables past tools and rules, for expectations; returns what `body` returns."""
        with self._pool.borrow() as sandbox:
            result, self.changeset = sandbox.run(self.changeset, body)
            return result

    def context(
        self,
        connection: apsw.Connection,
        reads: set[str] | None = None,
        granted: list[Decision] | None = None,
    ) -> ToolContext:
        """The context of a tool: this episode, over a database in its present state.

        Args:
            reads, granted: collect references and decisions, see `ToolContext`; None for new collections.
        """
        return ToolContext(
            connection,
            self.now,
            self.persona,
            self.policy,
            self.changeset,
            self.library,
            self.ask,
            tuple(map(_past, self.calls)),
            self.user,
            self.backend,
            set() if reads is None else reads,
            [] if granted is None else granted,
        )

    def _run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reads: set[str] | None = None,
        granted: list[Decision] | None = None,
    ) -> Any:
        def body(connection: apsw.Connection) -> tuple[Any, set[Cell]]:
            ctx = self.context(connection, reads, granted)
            return run_tool(tool, ctx, arguments), ctx.written

        with self._pool.borrow() as sandbox:
            if not tool.writes:
                return sandbox.read(self.changeset, body)[0]
            (value, written), self.changeset = sandbox.run(self.changeset, body)
            self.written |= written
            return value

    def finished(self, answer: str = "", *, status: str = "answered", **more: Any) -> EpisodeResult:
        """The return value of your program at the end of a task.

        Args:
            answer: the final message.
            status: `answered`, `denied` or `not_found`, where the kind of world asks for it.
            more: further fields of `EpisodeResult`, such as `usage`.
        """
        asked = "status" in self.kind.finish.arguments
        return EpisodeResult(
            "finished",
            self.outcome(),
            list(self.calls),
            answer=answer,
            answer_status=status if asked else "",
            **more,
        )

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
            planted=self.planted,
            user=self.user,
        )
        twin.changeset, twin.written = self.changeset, self.written
        twin.calls = list(self.calls)
        return twin

    def outcome(self) -> Outcome:
        """The changes of the episode so far."""
        rows = partial(self.rows, at_rest=True)
        return Outcome(self.changeset, self.kind.tables, self.written, keys=self._keys, rows=rows)

    def rows(self, places: Iterable[Place], *, at_rest: bool = False) -> dict[Place, dict[str, CellValue]]:
        """The whole rows at some places, as far as there are any, in the episode's state or before it."""
        tables = {table.name: table for table in self.kind.tables}

        def read(world: apsw.Connection) -> dict[Place, dict[str, CellValue]]:
            found = {}
            for name, row in places:
                table = tables[name]
                query = f"SELECT {columns_sql(table.columns)} FROM main.{quoted(name)} WHERE {ROW} = ?"
                for cells in world.execute(query, (row,)):
                    found[name, row] = table.shown(dict(zip(table.columns, cells, strict=True)))
            return found

        with self._pool.borrow() as sandbox:
            return sandbox.read(b"" if at_rest else self.changeset, read)

    def _keys(self, changes: Sequence[RowChange]) -> list[CellValue]:
        """The keys of changed rows: those of changed cells' rows stand in the unchanged world."""
        columns = {table.name: key_column(self.policy, table) for table in self.kind.tables}
        updated = [(change.table, change.row) for change in changes if change.operation == "update"]
        rows = self.rows(updated, at_rest=True)
        return [
            rows.get((change.table, change.row), change.before or change.after).get(columns[change.table])
            for change in changes
        ]


def _past(call: CallRecord) -> PastCall:
    seen = call.observation
    return PastCall(call.tool, call.arguments, seen.value if seen.status == "ok" else None, call.reads)


@contextmanager
def following(follow: Callable[[CallRecord], None]) -> Iterator[None]:
    """A block whose episodes pass each call to `follow`, in the thread that makes the call."""
    token = _FOLLOWER.set(follow)
    try:
        yield
    finally:
        _FOLLOWER.reset(token)


_FOLLOWER: ContextVar[Callable[[CallRecord], None] | None] = ContextVar("worksmith_follower", default=None)


class _HalfDoneError(BaseException):
    """A call changed something and then failed, or only reads: its change must be undone.

    Not an `Exception`, so that the dispatch point does not take it for a failure of the tool.
    """
