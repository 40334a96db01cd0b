"""An environment of a user's own: tables from anywhere, functions as tools, access rules, a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tools.environment import Environment as AnyEnvironment
from tools.errors import InputError
from tools.kinds.own_data.index import open_library, searched
from tools.kinds.own_data.kind import OWN_DATA
from tools.kinds.own_data.mcp_servers.adding import add_tools
from tools.kinds.own_data.mcp_servers.address import Address
from tools.kinds.own_data.mcp_servers.connection import McpServer
from tools.kinds.own_data.outside import Recorder
from tools.kinds.own_data.personas import OnePersona, Personas
from tools.kinds.own_data.policy import OPEN, own_policy
from tools.kinds.own_data.sources.tables import Source, read_tables
from tools.kinds.own_data.tools import OwnTools
from tools.kinds.own_data.worlds import build_world, tables_of
from tools.persona import Persona
from tools.seeding import digest
from tools.sqlite.schema import Table
from tools.world import World
from tools.world_kind import LIVE, WorldKind

if TYPE_CHECKING:
    from tools.change_set import ChangeSet
    from tools.sqlite.cells import CellType

Commit = TypeVar("Commit", bound="Callable[[ChangeSet], Any]")
Function = TypeVar("Function", bound=Callable[..., Any])

USER = Persona(id="user", name="User")
"""The persona of episodes for which nobody is named."""


class Environment(AnyEnvironment):
    """Tables, tools, access rules and a clock of a user's own.

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
        sandboxes: int | None = None,
    ) -> None:
        super().__init__(world, sandboxes=sandboxes)
        self.tables: Mapping[str, Table] = {table.name: table for table in tables_of(world)}
        self.keys: Mapping[str, str] = {name: table.indexes[0] for name, table in self.tables.items()}
        if personas is not None and (not isinstance(personas, str) or personas not in self.tables):
            raise InputError(f"no table {personas!r}", where="personas", hint=self._named_tables)
        self._home = Path.cwd()
        self._personas_table = personas
        self._people = Personas(world, self.tables[personas]) if personas else OnePersona(USER)
        self._house_rules = house_rules.strip()
        self._tools = OwnTools(tuple(self.tables.values()))
        self._servers: list[McpServer] = []
        self._templates: dict[str, str] = {}
        self._embedder: str | None = None
        self._rules: Path | None = None
        self._commit: Callable[[ChangeSet], Any] | None = None
        self._completed: WorldKind | None = None

    @classmethod
    def from_tables(
        cls,
        sources: Mapping[str, Source],
        *,
        now: date | str,
        keys: Mapping[str, str] | None = None,
        types: Mapping[str, Mapping[str, CellType]] | None = None,
        personas: str | None = None,
        house_rules: str = "",
        folder: Path | str | None = None,
        sandboxes: int | None = None,
    ) -> Environment:
        """An environment over tables. Sources that did not change are not read into a world again.

        Args:
            sources: by the name of the table a CSV, JSONL, Parquet or SQLite file, a folder of documents, a
                pandas frame, or a list of dicts.
            now: the clock of all episodes, such as `2026-01-05 09:00`.
            keys: by table the column that identifies a row; else it is inferred.
            types: by table and column `text`, `integer`, `real` or `boolean`; else they are inferred.
            personas: name of the table whose rows are the people that agents work for; without it there is
                one, called `user`.
            house_rules: conventions that an agent has to know, for its prompts.
            folder: of all worlds; default is `.worksmith/worlds` in the working directory.
            sandboxes: copies of the world in memory; default is one for each core.

        Raises:
            InputError: a source or an argument is wrong; says where.
        """
        tables = read_tables(sources, keys=keys, types=types)
        place = Path(folder) if folder is not None else None
        world = build_world(tables, now=_moment(now), persona=USER, folder=place)
        return cls(world, personas=personas, house_rules=house_rules, sandboxes=sandboxes)

    @overload
    def tool(self, function: Function, /) -> Function: ...
    @overload
    def tool(
        self,
        *,
        writes: bool = True,
        toolkit: str = "tools",
        outside: bool = False,
        twin: Callable[..., Any] | None = None,
        record: Path | str | None = None,
    ) -> Callable[[Function], Function]: ...
    def tool(
        self,
        function: Callable[..., Any] | None = None,
        *,
        writes: bool = True,
        toolkit: str = "tools",
        outside: bool = False,
        twin: Callable[..., Any] | None = None,
        record: Path | str | None = None,
    ) -> Any:
        """Declare a plain typed function with a docstring as a tool, called `toolkit.function`.

        Its first argument is the context; the agent gives the others. Whatever it changes through the context
        is rolled back when the episode ends.

        Args:
            writes: whether it may change rows.
            toolkit: the first half of the tool's name.
            outside: it reaches outside, to another system. Its stand-ins reply in its place, except where
                live calls are asked for.
            twin: a function with the same arguments and without effects outside, which stands in for it.
            record: a file of replies that stand in for it; live calls add theirs.

        Raises:
            InputError: the function is no tool, its name is taken, or the environment is in use.
        """
        self._open_to_changes()
        recorder = Recorder(record) if record is not None else None

        def declare(function: Function) -> Function:
            self._open_to_changes()
            self._tools.add(function, toolkit, writes=writes, outside=outside, twin=twin, recorder=recorder)
            return function

        return declare if function is None else declare(function)

    def add_mcp(
        self,
        server: str | Sequence[str],
        *,
        toolkit: str,
        listing: Path | str | None = None,
        only: Iterable[str] = ("*",),
        reads: Iterable[str] = (),
        twins: Mapping[str, Callable[..., Any]] | None = None,
        record: Path | str | None = None,
        headers: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        seconds: float = 60.0,
    ) -> None:
        """Add the tools of an MCP server, called `toolkit.tool`, as tools that reach outside (see `tool`).

        The server is asked for its tools now, or only by live calls where a file has the list. The list is in
        the environment's digest; a server that has other tools by then is not called.

        Args:
            server: a command that starts it (stdio), or its address (streamable HTTP).
            toolkit: the first half of the tools' names.
            listing: a file of its tools, made if there is none.
            only: names of the tools to add, or patterns such as `get_*`.
            reads: likewise of those that change nothing. What the server says of that does not count.
            twins: stand-ins by the server's name of a tool.
            record: a file of replies that stand in for calls; live calls add theirs.
            headers: of each request to an address, such as `Authorization`.
            variables: environment variables of a command, which else gets `PATH`, `HOME` and the like.
            seconds: the longest time of a call, and of the start.

        Raises:
            InputError: the server cannot be reached, a tool cannot be offered to models or its name is taken,
                `mcp` is not installed, or the environment is in use.
        """
        self._open_to_changes()
        address = Address.of(server, headers, variables, self._home)
        self._servers.append(McpServer(f"the MCP server {toolkit}", address, seconds=seconds))
        add_tools(
            self._tools,
            self._servers[-1],
            toolkit,
            listing=Path(listing).absolute() if listing is not None else None,
            only=only,
            reads=reads,
            twins=twins or {},
            record=record,
        )

    def index(self, table: str, *, text: str, embedder: str | None = None) -> None:
        """Let tools search a table with `ctx[table].search(...)`.

        A search sees what the persona may read, and what the episode has written.

        Args:
            text: what is searched of a row, with its columns in braces: `"{title} {body}"`.
            embedder: a model for search by meaning beside the search by words: `minilm` and `static` need no
                download. Vectors are made once and kept beside the world. All tables have the same model.

        Raises:
            InputError: there is no such table or column, or the environment is in use.
        """
        self._open_to_changes()
        if table not in self.tables:
            raise InputError(f"no table {table!r}", where="index", hint=self._named_tables)
        self._tools.searched[table] = searched(self.tables[table], text)
        self._templates[table] = text
        self._embedder = embedder or self._embedder

    def use_policy(self, file: Path | str) -> None:
        """Take access rules from a file. Without any, everything may be read and changed.

        Raises:
            InputError: the environment is in use, or there is no such file. What is wrong in the file is
                told when the environment is first used.
        """
        self._open_to_changes()
        if not Path(file).is_file():
            raise InputError("there is no such policy", where=str(file))
        self._rules = Path(file).absolute()

    def commit(self, function: Commit) -> Commit:
        """Declare the function that makes approved changes in your systems, see `worksmith serve program`.

        It is called once for each approved change set. What it returns is shown to those who may see the
        changes. If it raises `ToolError`, they read the message; of any other exception only a number.

        Raises:
            InputError: there is one already, or the environment is in use.
        """
        self._open_to_changes()
        if self._commit is not None or not callable(function):
            raise InputError("an environment has one function that commits", where="@env.commit")
        self._commit = function
        return function

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

    @property
    def _named_tables(self) -> str:
        return f"there are {', '.join(self.tables)}"

    def _open_to_changes(self) -> None:
        if self._completed is not None:
            raise InputError(
                "the environment is in use, and nothing can be added any more",
                hint="declare tools, indexes and access rules first",
            )

    def _complete(self) -> WorldKind:
        tools, people, tables = self._tools, self._people, tuple(self.tables.values())
        settings = [
            {name: [table.ddl(), self.keys[name]] for name, table in self.tables.items()},
            self._templates,
            self._embedder,
            self._personas_table,
            self._house_rules,
        ]
        return replace(
            OWN_DATA,
            tables=tables,
            toolkits=tools.toolkits,
            open_policy=lambda _: own_policy(self._rules, tables, tools.names, people),
            find_persona=lambda _, persona_id: people.find(persona_id),
            persona_ids=lambda _: people.ids(),
            house_rules="\n".join(filter(None, (OWN_DATA.house_rules, self._house_rules))),
            open_library=lambda world: open_library(
                world, self.tables, self.keys, tools.searched, self._templates, self._embedder
            ),
            commit=self._commit,
            live_systems={LIVE: lambda _: LIVE} if tools.reach_outside else {},
            digest=digest([settings, tools.digest]),
        )

    def __str__(self) -> str:
        counts = self.world.manifest.counts
        tables = [
            f"  {name}: {counts[name]:,} rows by {self.keys[name]} "
            f"({', '.join(f'{c} {table.type_of(c)}' for c in table.columns)})"
            for name, table in self.tables.items()
        ]
        rules = f"access rules: {self._rules}" if self._rules else OPEN
        tools = f"tools: {', '.join(self._tools.names) or 'none yet'}"
        return "\n".join(
            [
                f"{len(tables)} table{'s' * (len(tables) != 1)}, {self.world.manifest.now:%Y-%m-%d %H:%M}",
                *tables,
                tools,
                rules,
            ]
        )

    def __reduce__(self) -> tuple[Any, ...]:
        raise InputError(
            "an environment with functions of yours cannot be pickled",
            hint='save the state of a program instead: program.save("program.json")',
        )


def _moment(now: date | str) -> datetime:
    if isinstance(now, date):
        return now if isinstance(now, datetime) else datetime(now.year, now.month, now.day)
    try:
        return datetime.fromisoformat(now)
    except (TypeError, ValueError) as error:
        raise InputError(f"no time: {now!r}", where="now", hint="such as 2026-01-05 09:00") from error
