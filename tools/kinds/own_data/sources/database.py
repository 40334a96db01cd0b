"""Tables of a database behind an address of SQLAlchemy: read as a source, and written by approved changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from worksmith.tools.change_set import ChangeSet, ConflictError, ProposedChange
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.files.secrets import HIDDEN, described
from worksmith.tools.kinds.own_data.sources.live import Live, Read, Refresh
from worksmith.tools.kinds.own_data.sources.objects import Rows
from worksmith.tools.kinds.own_data.sources.reading import Reading
from worksmith.tools.kinds.own_data.sources.stored_tables import StoredTable
from worksmith.tools.seeding import digest

COMMITS = "worksmith_commits"
"""The table of the ids of change sets that were committed, or never will be."""

_COMMITTED = "committed"

_LEVELS = ("postgresql", "mysql", "mariadb")
"""Databases that show all tables as of one moment at a special level; SQLite always does."""

_PATIENCE = 30.0
"""Seconds to wait for another process's lock of an SQLite file."""

_PLACE = ("host", "port", "unix_socket", "service", "options")
"""The parts of an address's query that name the place of a database."""


class Database(Live):
    """Tables of a PostgreSQL, MySQL or SQLite database, or of another that SQLAlchemy knows.

    As a source of an environment it gives its tables, under their own names and all of one moment. `commit`
    makes approved changes in it.

    Args:
        url: its address, such as `postgresql+psycopg2://desk:SECRET@db/desk`. It is shown without its
            password, and no digest depends on it.
        tables: the names of tables, such as `orders` or `sales.orders`; default is all.
        refresh: `"episode"` before each task, a number of seconds, None only after a commit.
        version: a query whose result is another whenever a row is; without it the rows are compared.

    Raises:
        InputError: it is not an address, or its driver is not installed.

    Example:
        >>> ws.Database("postgresql+psycopg2://desk:secret@db/desk", tables=["orders"], refresh=60)
        Database(postgresql+psycopg2://desk:***@db/desk)
    """

    def __init__(
        self,
        url: str,
        *,
        tables: Sequence[str] | None = None,
        refresh: Refresh = "episode",
        version: str | None = None,
    ) -> None:
        super().__init__(refresh, None if version is None else lambda: self._ask(version))
        self._named = [tables] if isinstance(tables, str) else tables
        if self._named is not None and not all(isinstance(each, str) for each in self._named):
            raise InputError(
                "a name of a table is no text", where="tables", hint="such as orders, sales.orders"
            )
        try:
            self._url = _absolute(sa.make_url(url))
            self._is_sqlite = self._url.get_backend_name() == "sqlite"
            # A connection to an SQLite file that is kept would outlive the file.
            more: dict[str, Any] = (
                {"connect_args": {"timeout": _PATIENCE}, "poolclass": sa.pool.NullPool}
                if self._is_sqlite
                else {"pool_pre_ping": True}
            )
            self._engine = sa.create_engine(_existing(self._url), hide_parameters=True, **more)
        except ModuleNotFoundError as error:
            hint = f"pip install {error.name}, or name another driver: postgresql+psycopg2://..."
            raise InputError(f"the driver {error.name} is missing", where="url", hint=hint) from None
        except (sa.exc.ArgumentError, ValueError, TypeError, AttributeError):
            hint = "such as postgresql+psycopg2://user:password@host/name or sqlite:///file.db"
            raise InputError("no address of a database", where="url", hint=hint) from None
        self.identity = _identity(self._url)
        if self._is_sqlite:
            sa.event.listen(self._engine, "connect", _prepare)
            sa.event.listen(self._engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))

    def __repr__(self) -> str:
        return f"Database({self._url.set(query={}).render_as_string()})"

    def readings(self, name: str, read: Read) -> Mapping[str, Reading]:
        found: dict[str, Reading] = {}
        with self._faults(), self._engine.connect() as connection:
            if self._engine.dialect.name in _LEVELS:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            for each, table in self._tables.items():
                rows = connection.execute(table.query)
                reading = found[each] = Rows(f"{self!r}, table {each}", list(table.types), rows)
                reading.types = table.types_of(reading)
                reading.key, reading.parts = (table.key[0], ()) if len(table.key) == 1 else (None, table.key)
        return found

    def commit(self, changes: ChangeSet) -> str:
        """Make approved changes, once: all in one transaction, none of them if a row has changed.

        The same holds for the people who asked and approved: for what access rules compare of their rows.

        The transaction adds the id of the change set to the table `worksmith_commits`, which is made if it is
        missing. A repeated commit changes nothing.

        Raises:
            ConflictError: a row has changed since; the message names it.
            ToolError: the database refuses the changes, or they are of tables that it has not.
        """
        try:
            with self._faults(), self._engine.begin() as connection:
                connection.execute(sa.insert(self._commits).values(id=changes.id, state=_COMMITTED))
                self._apply(connection, changes)
        except ToolError:
            state = self._state(changes.id)
            if state is None:
                raise
            if state != _COMMITTED:
                raise ToolError("These changes were given up before they were made.") from None
        return f"committed as {changes.id}"

    def settle(self, id: str) -> bool:
        """Whether a change set was committed. One that was not never will be, even by a commit under way."""
        try:
            with self._faults(), self._engine.begin() as connection:
                connection.execute(sa.insert(self._commits).values(id=id, state="given up"))
            return False
        except ToolError:
            return self._state(id) == _COMMITTED

    def _state(self, id: str) -> str | None:
        with self._faults(), self._engine.connect() as connection:
            query = sa.select(self._commits.c.state).where(self._commits.c.id == id)
            found: str | None = connection.execute(query).scalar()
            return found

    def _apply(self, connection: sa.Connection, approved: ChangeSet) -> None:
        known, changes = self._tables, approved.changes
        if strange := [change.table for change in changes if change.table not in known]:
            raise ToolError(f"{strange[0]} is no table of {self!r}.")
        rows = [(each.table, each.key) for each in changes if known[each.table].differs(connection, each)]
        for table, key, row in approved.people:
            if table in known and not known[table].holds(connection, row, approved.rights):
                rows.append((table, key))
        if rows:
            raise ConflictError(rows)
        metadata = next(iter(known.values())).table.metadata
        order = {table: place for place, table in enumerate(metadata.sorted_tables)}
        steps = {"insert": 0, "update": 1, "delete": 2}

        def turn(change: ProposedChange) -> tuple[int, int]:
            """New rows come before those that refer to them, and go after them."""
            place = order[known[change.table].table]
            return steps[change.operation], -place if change.operation == "delete" else place

        for change in sorted(changes, key=turn):
            known[change.table].make(connection, change)

    def _ask(self, query: str) -> Any:
        with self._faults(), self._engine.connect() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

    @cached_property
    def _tables(self) -> Mapping[str, StoredTable]:
        """The tables by the names that they have here; other characters than those of words become `_`."""
        names, metadata = self._named, sa.MetaData()
        if names is None:
            names = [name for name in sorted(sa.inspect(self._engine).get_table_names()) if name != COMMITS]
        found: dict[str, StoredTable] = {}
        for name in names:
            schema, _, last = ("", "", name) if self._named is None else name.rpartition(".")
            word = re.sub(r"\W", "_", last)
            if word in found:
                raise InputError(f"two tables would be called {word!r}", where=repr(self))
            try:
                table = sa.Table(last, metadata, schema=schema or None, autoload_with=self._engine)
            except sa.exc.NoSuchTableError:
                raise InputError(f"no table {name!r}", where=repr(self)) from None
            found[word] = StoredTable(table, in_sqlite=self._is_sqlite)
        if not found:
            raise InputError("the database has no tables", where=repr(self))
        return found

    @cached_property
    def _commits(self) -> sa.Table:
        table = sa.Table(
            COMMITS,
            sa.MetaData(),
            sa.Column("id", sa.String(64), primary_key=True),
            sa.Column("state", sa.String(16), nullable=False),
        )
        try:
            table.create(self._engine, checkfirst=True)
        except sa.exc.DatabaseError:  # another process makes it now, or the right is missing
            if not sa.inspect(self._engine).has_table(COMMITS):
                raise
        return table

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turns messages of the database into errors without its password."""
        try:
            yield
        except sa.exc.IntegrityError as error:
            raise ToolError(f"The database refuses the changes: {self._said(error)}") from None
        except (sa.exc.SQLAlchemyError, ValueError) as error:  # the latter e.g. of damaged JSON
            raise InputError(f"the database fails: {self._said(error)}", where=repr(self)) from None

    def _said(self, error: Exception) -> str:
        said = described(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        return said.replace(self._url.password, HIDDEN) if self._url.password else said


def _absolute(url: sa.URL) -> sa.URL:
    """The address of an SQLite file for any working directory.

    Raises:
        InputError: the file is missing.
    """
    if url.get_backend_name() != "sqlite" or (url.database or "").startswith("file:"):
        return url
    file = Path(url.database or "").absolute()
    if not file.is_file():
        raise InputError("there is no such file", where=str(file))
    return url.set(database=str(file))


def _prepare(raw: Any, _: Any) -> None:
    """Let a connection to an SQLite file behave like one to a server."""
    raw.execute("PRAGMA foreign_keys = ON")
    raw.isolation_level = None  # else Python's driver begins no transaction before the first change


def _existing(url: sa.URL) -> sa.URL:
    """The address by which SQLite makes no file that is missing."""
    if url.get_backend_name() != "sqlite":
        return url
    database = url.database or ""
    uri = database if database.startswith("file:") else Path(database).as_uri()
    return url.set(database=uri, query={"mode": "rw", "uri": "true", **url.query})


def _identity(url: sa.URL) -> str:
    """Content address of a database's place, for any log-in; empty if the address lacks it."""
    if not url.database or url.database.startswith("file:"):
        return ""
    query = {name: url.query[name] for name in _PLACE if name in url.query}
    return digest([url.get_backend_name(), url.host, url.port, url.database, query])
