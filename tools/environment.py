"""An environment: a world with its sandboxes, from which episodes are opened."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.code import functions_digest
from worksmith.tools.episode import Episode
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.persona import Persona
from worksmith.tools.planting import planted
from worksmith.tools.policy import DENIED, Policy
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.sandbox import SandboxPool
from worksmith.tools.tool import Toolset
from worksmith.tools.view import Shown, View, frame
from worksmith.tools.world import World, check_schema
from worksmith.tools.world_kind import WorldKind, world_kind

if TYPE_CHECKING:
    import pandas as pd

    from worksmith.retrievers.index.library import Library
    from worksmith.tools.sqlite.schema import Table
    from worksmith.tools.user import User


class Snapshot:
    """A world with its opened parts, each at its first use. Thread-safe.

    Attributes:
        now: the clock of episodes.
    """

    def __init__(self, world: World, kind: Callable[[], WorldKind], sandboxes: int | None = None) -> None:
        self.world, self._kind, self._sandboxes = world, kind, sandboxes
        self.now = world.manifest.now
        self._checked = False
        self._lock = threading.RLock()
        self._personas: dict[str, Persona] = {}

    @cached_property
    def policy(self) -> Policy:
        found = self._kind().open_policy(self.world)
        if lacking := [name for name in vars(Policy) if name[0] != "_" and not hasattr(found, name)]:
            raise InputError(
                f"the policy {type(found).__name__} lacks {', '.join(lacking)}",
                where=f"the world kind {self._kind().name}",
                hint="begin with the class Unrestricted of worksmith.plugins.worlds, which has all of them",
            )
        return found

    @cached_property
    def library(self) -> Library | None:
        return self._kind().open_library(self.world)

    @cached_property
    def pool(self) -> SandboxPool:
        return SandboxPool(self.world.image, self._kind().tables, self._sandboxes)

    def check(self) -> None:
        """See `Environment.check`."""
        if self._checked:
            return
        with self._lock:
            if self._checked:
                return
            check_schema(self.world, self._kind().tables)
            # Made here, under the lock, so that no two episodes make them at once.
            _ = self.policy, self.pool
            if self.library is not None:
                self.library.check()
            self._checked = True

    def persona(self, persona_id: str) -> Persona:
        found = self._personas.get(persona_id)
        if found is None:
            found = self._personas[persona_id] = self._kind().find_persona(self.world, persona_id)
        return found


class Environment(Shown):
    """Opens episodes over one world. Thread-safe, shared by reference, never copied.

    A program holds its environment by reference: a deep copy of the program shares it, and a pickle of
    it is the path of its world. Policy, search indexes and sandboxes are opened when they are first needed.

    Args:
        kind: default is the kind that the world's manifest names.
        sandboxes: copies of the world in memory; default is one for each core.

    Attributes:
        backend: a live system that the tools of this kind work on instead of the world, see `connect`.
    """

    def __init__(self, world: World, kind: WorldKind | None = None, *, sandboxes: int | None = None) -> None:
        self.backend: object | None = None
        self._given = kind
        self._lock = threading.RLock()
        self._toolsets: dict[tuple[frozenset[str] | None, frozenset[str]], Toolset] = {}
        self._snapshot = Snapshot(world, lambda: self.kind, sandboxes)

    def _view(self) -> View:
        manifest, counts = self.world.manifest, self.world.manifest.counts
        return View(
            f"Environment({str(self.world.path)!r}, {manifest.kind}, {manifest.now:%Y-%m-%d %H:%M})",
            self._facts(),
            self._tables(),
            (
                ("table", lambda table: table.name),
                ("rows", lambda table: counts.get(table.name)),
                ("columns", lambda table: ", ".join(f"{c} {table.type_of(c)}" for c in table.columns)),
            ),
        )

    def _tables(self) -> Sequence[Table]:
        return self.kind.tables

    def _facts(self) -> dict[str, Any]:
        return {"tools": [tool.name for kit in self.kind.toolkits for tool in kit.tools]}

    def to_frame(self, table: str) -> pd.DataFrame:
        """The rows of a table, all of them and with private fields.

        Raises:
            InputError: the table is unknown, or pandas is not installed.
        """
        tables = {each.name: each for each in self._tables()}
        if table not in tables:
            raise unknown("no table", table, tables, "table")
        return frame(self.world.rows(table, tables[table].columns))

    @classmethod
    def open(cls, directory: Path | str) -> Self:
        """The environment over the world in `directory`.

        Raises:
            InputError, RetrievalError: the world is missing or damaged, or `check` fails.
        """
        opened = cls(World.open(directory))
        opened.check()
        return opened

    @property
    def kind(self) -> WorldKind:
        """The world's tables, tools and rules."""
        return self._given or world_kind(self.world.manifest.kind)

    @property
    def world(self) -> World:
        return self._snapshot.world

    @property
    def now(self) -> datetime:
        """The clock of episodes: the world's, which a `refresh` may set."""
        return self._snapshot.now

    @property
    def policy(self) -> Policy:
        """The access rules.

        Raises:
            InputError: they are invalid, or lack something that `Policy` has.
        """
        return self._snapshot.policy

    @property
    def library(self) -> Library | None:
        """The search indexes; None if no tool searches."""
        return self._snapshot.library

    def check(self) -> None:
        """See that episodes can be opened.

        In an episode, a fault found here would pass for a defect of a tool.

        Raises:
            InputError: the world's tables are not those of its kind, or the access rules are invalid.
            RetrievalError: the search index was built over another world.
        """
        self._snapshot.check()

    def refresh(self, *, force: bool = False) -> bool:
        """Read tables again that may have changed since; returns whether any had. A fixed world has none.

        Open episodes keep the rows of their start.

        Args:
            force: read all such tables, not only those that are due.
        """
        return False

    def connect(self, backend: object | None) -> None:
        """Let the tools of episodes that are opened from now on work on a live system; None is the world.

        Args:
            backend: named by its `str`.
        """
        self.backend = backend

    @property
    def folder(self) -> Path:
        """The folder that suites and runs over this environment are named after."""
        return self.world.path

    @property
    def digest(self) -> str:
        """Content address of all that an episode depends on here: world, rules, search index, own tools.

        Of a live system only its name: its content is unknown.

        Raises:
            InputError, RetrievalError: see `check`.
        """
        self.check()
        world = self.world.manifest.digest
        searched = self.library.digest if self.library is not None else ""
        rules = self.policy.digest
        own = [self.kind.digest] if self.kind.digest else []
        if self.backend is not None:
            return digest([world, rules, searched, str(self.backend), *own])
        return digest([world, rules, searched, *own]) if rules or searched or own else world

    @property
    def code_digest(self) -> str:
        """The content address of the code of all tools."""
        return functions_digest(tool.function for kit in self.kind.toolkits for tool in kit.tools)

    def persona(self, persona_id: str | int) -> Persona:
        """A person of this world, by id.

        Raises:
            InputError: no person has this id.
        """
        return self._snapshot.persona(str(persona_id))

    def unreadable(self, persona: Persona, references: frozenset[str]) -> frozenset[str]:
        """Those of the records (see `ToolContext.reads`) that `persona` may not read in the unchanged world.

        The mark of another world among them (see `_mark`) is as unreadable as its record.
        """
        denied, at = references & {DENIED}, self._snapshot
        known = references - {self._mark(at.world), DENIED}
        if not known:
            return denied
        at.check()
        with at.pool.borrow() as sandbox:
            return denied | sandbox.read(b"", lambda world: at.policy.unreadable(persona, known, world))

    def unquoted(self, references: frozenset[str]) -> frozenset[str]:
        """Those of the records that no demonstration may quote, for any reader."""
        at = self._snapshot
        policy = at.policy
        if not references or not isinstance(policy, AccessPolicy):
            return frozenset()
        at.check()
        with at.pool.borrow() as sandbox:
            return sandbox.read(b"", partial(policy.unquoted, references))

    def check_records(self) -> None:
        """Check that tools have records.

        Raises: InputError: the records are elsewhere, and not connected (see `backend`).
        """
        elsewhere = self.world.manifest.elsewhere
        if elsewhere and self.backend is None:
            raise InputError(
                f"the records that these tasks are about are not here but in {elsewhere}",
                where=str(self.world.path),
                hint=f"connect to it with --org {' or '.join(self.kind.live_systems) or 'NAME'}",
            )

    def episode(
        self,
        toolkits: Iterable[str] | None = None,
        *,
        persona: Persona | str | int | None = None,
        now: datetime | None = None,
        without: Iterable[str] = (),
        ask: Callable[[str], str] | None = None,
        user: User | None = None,
        rehearsal: bool = False,
    ) -> Episode:
        """A fresh episode.

        Args:
            toolkits: names of the toolkits to supply, shared ones are added; None supplies all.
            persona: one of this world, or the id; default is the world's own.
            now: default is the environment's clock.
            without: categories of tools that are left out, see `WorldKind.toolset`.
            ask: asks the agent's own model, for tools that do.
            user: who answers the agent, as `task.user`; it is offered `ask_user` then.
            rehearsal: work on the world even where a live system is connected, and see it as it is, as
                expectations do.

        Raises:
            InputError, RetrievalError: see `check_records` and `check`; or no person has this id.
        """
        self.check()
        at = self._snapshot
        if isinstance(persona, str | int):
            persona = at.persona(str(persona))
        if not rehearsal:
            self.check_records()
        manifest = at.world.manifest
        names = None if toolkits is None else frozenset(toolkits)
        return Episode(
            at.pool,
            self.kind,
            persona or manifest.persona,
            now or at.now,
            self._toolset(names, frozenset(without)),
            at.policy,
            at.library,
            world=self._mark(at.world),
            backend=None if rehearsal else self.backend,
            ask=ask,
            planted=None if rehearsal else planted(),
            user=user,
        )

    def _toolset(self, names: frozenset[str] | None, without: frozenset[str]) -> Toolset:
        found = self._toolsets.get((names, without))
        if found is None:
            found = self._toolsets[names, without] = self.kind.toolset(names, sorted(without))
        return found

    def _mark(self, world: World) -> str:
        """The reference that stands for a whole world among references to records."""
        return f"@{world.manifest.digest}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Environment:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Environment.open, (str(self.world.path),))
