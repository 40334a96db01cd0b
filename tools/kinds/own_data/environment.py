"""An environment of user data: tables from anywhere, functions as tools, access rules, a clock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.tools.environment import Snapshot
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.kinds.own_data.declaring import Declarations
from worksmith.tools.kinds.own_data.index import open_library
from worksmith.tools.kinds.own_data.locales import locale_called
from worksmith.tools.kinds.own_data.own_data_world import ANNOUNCED_FINISH, OWN_DATA
from worksmith.tools.kinds.own_data.personas import OnePersona, Personas
from worksmith.tools.kinds.own_data.policy import OPEN, own_policy
from worksmith.tools.kinds.own_data.refreshing import Sources
from worksmith.tools.kinds.own_data.sources.live import Live, called
from worksmith.tools.kinds.own_data.sources.made_keys import Key
from worksmith.tools.kinds.own_data.sources.tables import Source, check_is_mapping
from worksmith.tools.kinds.own_data.worlds import FOLDER, build_world, renewed_world
from worksmith.tools.persona import Persona
from worksmith.tools.procedure import procedure
from worksmith.tools.seeding import digest
from worksmith.tools.user_tool import ASK_USER
from worksmith.tools.world import World
from worksmith.tools.world_kind import LIVE, WorldKind

if TYPE_CHECKING:
    from worksmith.tools.kinds.own_data.sources.tables import SourceTable
    from worksmith.tools.sqlite.cells import CellType
    from worksmith.tools.sqlite.schema import Table

SNAPSHOT = "WORKSMITH_SNAPSHOT"
"""The environment variable that names a folder of a world, which then stands in for tables that change."""

USER = Persona(id="user", name="User")
"""The default persona of episodes."""


class Environment(Declarations):
    """Tables, tools, access rules and a clock of a user.

        env = Environment.from_tables({"tickets": "tickets.csv"}, now="2026-01-05 09:00")

        @env.tool
        def close_ticket(ctx: Context, ticket_id: str, resolution: str) -> str:
            "Close a ticket."
            ctx["tickets"].update(ticket_id, status="closed", resolution=resolution)
            return "closed"

    Tools, indexes and access rules are added before the environment is first used.

    Attributes:
        tables: the tables by name, with the types of their columns.
        keys: the column of each table that identifies a row.

    Example:
        >>> rows = [{"id": "T-1", "status": "open"}]
        >>> env = ws.Environment.from_tables({"tickets": rows}, now="2026-01-05 09:00")
        >>> @env.tool
        ... def close_ticket(ctx: ws.Context, ticket_id: str) -> None:
        ...     "Close a ticket."
        ...     ctx["tickets"].update(ticket_id, status="closed")
        >>> env.episode().call("tools.close_ticket", {"ticket_id": "T-1"}).status
        'ok'
    """

    def __init__(
        self,
        world: World,
        *,
        personas: str | None = None,
        house_rules: str = "",
        caseless: Mapping[str, Collection[str]] | None = None,
        unscored: Collection[str] = (),
        locale: str = "en",
        sandboxes: int | None = None,
    ) -> None:
        super().__init__(world, sandboxes=sandboxes)
        self._sources: Sources | None = None
        self._identity = ""
        self._clock: Callable[[], date | str] | None = None
        self._refreshing, self._reads, self._sandboxes = threading.RLock(), False, sandboxes
        self.tables = _compared(self.tables, caseless or {}, unscored)
        self.keys: Mapping[str, str] = {name: table.indexes[0] for name, table in self.tables.items()}
        if personas is not None and (not isinstance(personas, str) or personas not in self.tables):
            raise unknown("no table", str(personas), self.tables, "personas")
        self._personas_table = personas
        self._people: dict[str, Personas | OnePersona] = {}
        self._people_of(world)
        self._house_rules = house_rules.strip()
        locale_called(locale)
        self._locale = locale

    @classmethod
    def from_tables(
        cls,
        sources: Mapping[str, Source],
        *,
        now: date | str | Callable[[], date | str],
        keys: Mapping[str, Key] | None = None,
        types: Mapping[str, Mapping[str, CellType]] | None = None,
        nulls: Sequence[str] = (),
        personas: str | None = None,
        house_rules: str = "",
        caseless: Mapping[str, Collection[str]] | None = None,
        unscored: Collection[str] = (),
        locale: str = "en",
        folder: Path | str | None = None,
        sandboxes: int | None = None,
    ) -> Environment:
        """An environment over tables. Sources that did not change are not read into a world again.

        Args:
            sources: by the name of the table a CSV, JSONL, Parquet or SQLite file, a folder of documents, a
                pandas frame, a list of dicts, a `Table` or a `Database`, or the latter's address.
            now: the clock of all episodes, such as `2026-01-05 09:00`; or a function such as `datetime.now`,
                which is asked now and by each `refresh`.
            keys: by table the column that identifies a row; else it is inferred. Several columns together,
                such as `("order_id", "line")`, are joined to a further one, and `row_number` is the number.
            types: by table and column `text`, `integer`, `real`, `boolean` or `json`; else they are inferred.
                A column with lists or dicts is `json`.
            nulls: the cells of CSV files that are empty, such as `NULL`.
            personas: name of the table whose rows are the people that agents work for; without it there is
                one, called `user`.
            house_rules: conventions that an agent must know, for its prompts.
            caseless: by table the columns in which letter case does not count when a changed row is compared
                with the expected one. In all others it does.
            unscored: the tables that tools may change without an effect on the score.
            locale: the language of answers, such as `de` or `de-CH`: `1.234,50` is a number and `ja` is yes.
            folder: of all worlds; default is `.worksmith/worlds` in the working directory.
            sandboxes: copies of the world in memory; default is one for each core.

        Raises:
            InputError: a source or an argument is wrong; with the place.
        """
        check_is_mapping("sources", sources)
        sources = {name: _opened(source) for name, source in sources.items()}
        place = Path(folder) if folder is not None else None
        if kept := _kept_snapshot(sources):
            read, world = None, World.open((place or FOLDER) / kept)
        else:
            read = Sources(sources, keys, types, nulls)
            world = build_world(read.take(), now=_moment(now), persona=USER, folder=place)
        env = cls(
            world,
            personas=personas,
            house_rules=house_rules,
            caseless=caseless,
            unscored=unscored,
            locale=locale,
            sandboxes=sandboxes,
        )
        env._sources, env._clock = read, now if callable(now) else None
        env._identity = _identity(sources)
        return env

    @property
    def kind(self) -> WorldKind:
        """The tables, tools and rules. From now on nothing can be added."""
        with self._lock:
            if self._completed is None:
                self._completed = self._complete()
            return self._completed

    @property
    def folder(self) -> Path:
        """The working directory in which the environment was made."""
        return self._home

    def check(self) -> None:
        if not self._tools.names:
            raise InputError("the environment has no tools", hint="declare functions with @env.tool")
        super().check()

    def check_records(self) -> None:
        super().check_records()
        alone = self._tools.unrehearsable
        if alone and self.backend is None:
            raise InputError(
                f"{', '.join(alone)} would reach outside",
                where="tools",
                hint=f'give it a twin or a record; env.connect("{LIVE}") or --org {LIVE} makes real calls',
            )

    def connect(self, backend: object | None) -> None:
        if backend == LIVE:
            for server in self._servers:
                server.check()
        super().connect(backend)

    def refresh(self, *, force: bool = False) -> bool:
        """Read the tables again whose `refresh=` is due; returns whether one has changed.

        `worksmith serve program` does it before each task, and reads all after a commit. Evaluations and
        compiles never do: they work on the last reading. Open episodes keep the rows of their start.

        Args:
            force: read all tables that can be read again, files as well.

        Raises:
            InputError: a source cannot be read, or has other columns, or its function calls this. The tables
                stay as they are.
        """
        if self._sources is None:
            return False
        asked = time.monotonic()
        with self._refreshing:
            if self._reads:
                raise InputError("a function that is read calls refresh", hint="leave the call out")
            self._reads = True
            try:
                changed = self._sources.refresh(self.tables, self._use, asked=asked, force=force)
                if self._clock is not None:
                    self._snapshot.now = _moment(self._clock)
                return changed
            finally:
                self._reads = False

    def _use(self, changed: Sequence[SourceTable]) -> None:
        world = renewed_world(self.world, tuple(self.tables.values()), changed)
        new = Snapshot(world, lambda: self.kind, self._sandboxes)
        new.check()
        self._people_of(world)
        self._snapshot = new

    def _mark(self, world: World) -> str:
        """In tables that change, a record stays the same one, so demonstrations go on being shown."""
        return f"@{self._identity}" if self._identity else super()._mark(world)

    def _people_of(self, world: World) -> Personas | OnePersona:
        """The people of a world; those of the last one asked for are kept."""
        if self._personas_table is None:
            return OnePersona(USER)
        found = self._people.get(world.manifest.digest)
        if found is None:
            found = Personas(world, self.tables[self._personas_table])
            self._people = {world.manifest.digest: found}
        return found

    def _complete(self) -> WorldKind:
        tools, tables = self._tools, tuple(self.tables.values())
        live = self._commit is not None or (self._sources is not None and self._sources.live)
        settings = [
            {name: [t.ddl(), self.keys[name], t.exact, t.scored] for name, t in self.tables.items()},
            self._templates,
            self._embedder,
            self._personas_table,
            self._house_rules,
            self._locale,
        ]
        arguments = {tool.name: tool.arguments for kit in tools.toolkits for tool in kit.tools}
        if not any(name.endswith(f".{ASK_USER.function.__name__}") for name in arguments):
            arguments[ASK_USER.name] = ASK_USER.arguments
        rules = procedure(self._procedure, arguments, "procedure")
        settings += [rule.model_dump(exclude={"why"}) for rule in rules]
        people = self._people_of(self.world)
        policy = own_policy(self._rules, tables, tools.names, people, self._unquoted)
        return replace(
            OWN_DATA,
            tables=tables,
            toolkits=tools.toolkits,
            finish=ANNOUNCED_FINISH if policy.document.announcing else OWN_DATA.finish,
            open_policy=lambda _: policy,
            find_persona=lambda world, persona_id: self._people_of(world).find(persona_id),
            persona_ids=lambda world: self._people_of(world).ids(),
            house_rules="\n".join(filter(None, (OWN_DATA.house_rules, self._house_rules))),
            open_library=lambda world: open_library(
                world, self.tables, self.keys, tools.searched, self._templates, self._embedder, live=live
            ),
            commit=self._commit,
            settle=self._settle,
            people=self._personas_table or "",
            outside=tools.outside,
            live_systems={LIVE: lambda _: LIVE} if tools.outside else {},
            digest=digest([settings, tools.digest]),
            locale=self._locale,
            procedure=rules,
        )

    def _tables(self) -> Sequence[Table]:
        return tuple(self.tables.values())

    def _facts(self) -> dict[str, Any]:
        # Nothing here may ask for `kind`, which ends the declarations.
        named = {"tools": self._tools.names, "access rules": self._rules or OPEN}
        return {**named, "personas": self._personas_table, "keys": self.keys}

    def __str__(self) -> str:
        counts = self.world.manifest.counts
        tables = [
            f"  {name}: {counts[name]:,} rows by {self.keys[name]} "
            f"({', '.join(f'{c} {table.type_of(c)}' for c in table.columns)})"
            for name, table in self.tables.items()
        ]
        rules = f"access rules: {self._rules}" if self._rules else OPEN
        tools = f"tools: {', '.join(self._tools.names) or 'none yet'}"
        head = f"{len(tables)} table{'s' * (len(tables) != 1)}, {self.world.manifest.now:%Y-%m-%d %H:%M}"
        if self._sources is not None and self._sources.live:
            head += f", snapshot {self.world.path.name}"
        return "\n".join([head, *tables, tools, rules])

    def __reduce__(self) -> tuple[Any, ...]:
        raise InputError(
            "an environment with functions of yours cannot be pickled",
            hint='save the state of a program instead: program.save("program.json")',
        )


def _kept_snapshot(sources: Mapping[str, Source]) -> str:
    """The name of the snapshot that is to be used in place of tables that change; empty without one."""
    live = any(isinstance(source, Live) for source in sources.values())
    return os.environ.get(SNAPSHOT, "") if live else ""


def _identity(sources: Mapping[str, Source]) -> str:
    """Content address of the places of all tables; empty if one is unknown."""
    places = {name: source.identity if isinstance(source, Live) else "" for name, source in sources.items()}
    return digest(places) if all(places.values()) else ""


def _opened(source: Source) -> Source:
    """A source; of an address the database behind it."""
    if not isinstance(source, str) or "://" not in source:
        return source
    from worksmith.tools.kinds.own_data.sources.database import Database

    return Database(source)


def _compared(
    tables: Mapping[str, Table], caseless: Mapping[str, Collection[str]], unscored: Collection[str]
) -> Mapping[str, Table]:
    """The tables with what counts in them when outcomes are compared."""
    for where, names in (("caseless", caseless), ("unscored", unscored)):
        for name in names:
            if name not in tables:
                raise unknown("no table", name, tables, where)
    for name, columns in caseless.items():
        for column in columns:
            if column not in (known := tables[name].columns):
                raise unknown(f"{name} has no column", column, known, "caseless")
    return {
        name: replace(
            table,
            exact=tuple(column for column in table.exact if column not in caseless.get(name, ())),
            scored=name not in unscored,
        )
        for name, table in tables.items()
    }


def _moment(now: date | str | Callable[[], date | str]) -> datetime:
    at: date | str = called(now, "now") if callable(now) else now
    if isinstance(at, date):
        return at if isinstance(at, datetime) else datetime(at.year, at.month, at.day)
    try:
        return datetime.fromisoformat(at)
    except (TypeError, ValueError) as error:
        raise InputError(f"no time: {at!r}", where="now", hint="such as 2026-01-05 09:00") from error
