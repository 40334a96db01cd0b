"""Declarations on an environment before its first use: tools, indexes, access rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from worksmith.tools.environment import Environment as AnyEnvironment
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.kinds.own_data.index import searched
from worksmith.tools.kinds.own_data.mcp_servers.adding import add_tools
from worksmith.tools.kinds.own_data.mcp_servers.address import Address
from worksmith.tools.kinds.own_data.mcp_servers.connection import McpServer
from worksmith.tools.kinds.own_data.outside import Recorder
from worksmith.tools.kinds.own_data.tools import OwnTools
from worksmith.tools.kinds.own_data.worlds import tables_of
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.world import World
from worksmith.tools.world_kind import WorldKind

if TYPE_CHECKING:
    from worksmith.tools.change_set import ChangeSet

Commit = TypeVar("Commit", bound="Callable[[ChangeSet], Any]")
_SHOWN = 200
"""Characters of a path that messages show."""

Function = TypeVar("Function", bound=Callable[..., Any])


class Declarations(AnyEnvironment):
    """An environment to which tools, indexes and access rules are added until it is in use.

    Attributes:
        tables: the tables by name, with the types of their columns.
    """

    def __init__(self, world: World, *, sandboxes: int | None = None) -> None:
        super().__init__(world, sandboxes=sandboxes)
        self.tables: Mapping[str, Table] = {table.name: table for table in tables_of(world)}
        self._home = Path.cwd()
        self._tools = OwnTools(tuple(self.tables.values()))
        self._servers: list[McpServer] = []
        self._templates: dict[str, str] = {}
        self._unquoted: dict[str, tuple[str, ...]] = {}
        self._embedder: str | None = None
        self._rules: Path | None = None
        self._procedure: tuple[Mapping[str, Any], ...] = ()
        self._commit: Callable[[ChangeSet], Any] | None = None
        self._settle: Callable[[str], bool] | None = None
        self._completed: WorldKind | None = None

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

        Its first argument is the context; the agent gives the others. Its changes through the context are
        rolled back when the episode ends.

        Args:
            writes: whether it may change rows.
            toolkit: the first half of the tool's name.
            outside: it reaches outside, to another system. Its stand-ins reply in its place, except where
                live calls are asked for.
            twin: a function with the same arguments and without effects outside, which stands in for it.
            record: a file of replies that stand in for it; live calls add theirs.

        Raises:
            InputError: the function is not a tool, its name is taken, or the environment is in use.
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
            listing: a file of its tools, made if missing.
            only: names of the tools to add, or patterns such as `get_*`.
            reads: likewise of those that change nothing. The server's own marks do not count.
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

    def index(
        self, table: str, *, text: str, embedder: str | None = None, demonstrations: bool = True
    ) -> None:
        """Let tools search a table with `ctx[table].search(...)`.

        A search sees the readable records, with the changes of the episode.

        Args:
            text: the searched text of a row, with its columns in braces: `"{title} {body}"`.
            embedder: a model for search by meaning beside the search by words: `minilm` and `static` come
                with the extra `vectors`. Vectors are made once and kept beside the world. All tables have the
                same model.
            demonstrations: whether demonstrations may quote rows that have a text there. A quoted text
                becomes a part of other people's prompts, whoever its author is.

        Raises:
            InputError: a table or column is unknown, or the environment is in use.
        """
        self._open_to_changes()
        if table not in self.tables:
            raise unknown("no table", table, self.tables, "index")
        self._tools.searched[table] = searched(self.tables[table], text)
        self._templates[table] = text
        if not demonstrations:
            self._unquoted[table] = self._tools.searched[table].columns
        self._embedder = embedder or self._embedder

    def use_policy(self, file: Path | str) -> None:
        """Take access rules from a file. Without any, everything may be read and changed.

        Raises:
            InputError: the environment is in use, or the file is missing. Faults in the file are reported at
                the first use of the environment.
        """
        self._open_to_changes()
        if not os.path.isfile(file):  # of a text that is too long for a path, `Path.is_file` raises
            raise InputError(
                "there is no such policy", where=str(file)[:_SHOWN], hint="give the path of a file with rules"
            )
        self._rules = Path(file).absolute()

    def use_procedure(self, rules: Sequence[Mapping[str, Any]]) -> None:
        """Take rules for the course of every episode; a task can have further ones.

        They do not stop a call. The score `procedure` is whether an episode keeps them, and a constraint
        can bound it.

        Args:
            rules: such as `{"tool": "close_ticket", "needs": "read_ticket", "same": ["ticket_id"]}`; the page
                on tasks has all forms. Faults in them are reported at the first use of the environment.

        Raises:
            InputError: the environment is in use, or this is not a list.
        """
        self._open_to_changes()
        if not isinstance(rules, list | tuple):
            raise InputError(f"{type(rules).__name__} is no list of rules", where="procedure")
        self._procedure = tuple(rules)

    def commit(self, function: Commit, /, *, settle: Callable[[str], bool] | None = None) -> Commit:
        """Declare the function that makes approved changes in your systems, see `worksmith serve program`.

        It is called once for each approved change set. Its result is shown to those who may see the changes.
        If it raises `ToolError`, they read the message; of any other exception only a number.

        Args:
            settle: whether the change set of an id was committed; asked when a commit broke off. One that was
                not must never be from then on. `Database` has both functions.

        Raises:
            InputError: there is one already, or the environment is in use.
        """
        self._open_to_changes()
        if self._commit is not None or not callable(function):
            raise InputError("an environment has one function that commits", where="@env.commit")
        self._commit, self._settle = function, settle
        return function

    def _open_to_changes(self) -> None:
        if self._completed is not None:
            raise InputError(
                "the environment is in use, and nothing can be added any more",
                hint="declare tools, indexes and access rules first",
            )
