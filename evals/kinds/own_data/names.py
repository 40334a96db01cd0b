"""Names in task files, of tools, personas, tables, columns and keys; the nearest ones for a wrong name."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Self

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.procedure import full_name
from worksmith.tools.user_tool import ASK_USER

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona
    from worksmith.tools.sqlite.schema import Table
    from worksmith.tools.user import User


class Names:
    """The names that tasks over an environment can use."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.toolkits = tuple(toolkit.name for toolkit in env.kind.toolkits)
        self.tools = {tool.name: tool for kit in env.kind.toolkits for tool in kit.tools}
        self.arguments = {name: tool.arguments for name, tool in self.tools.items()}
        self.tables = {table.name: table for table in env.kind.tables}

    def beside(self, user: User | None) -> Self:
        """The names for a task with this user: `ask_user` is a tool then."""
        found = copy(self)
        if user is not None:
            found.tools = {**self.tools, ASK_USER.name: ASK_USER}
            found.arguments = {name: tool.arguments for name, tool in found.tools.items()}
        return found

    def tool(self, name: str, where: str) -> str:
        """See `full_name`."""
        return full_name(name, self.tools, where)

    def toolkit(self, name: str, where: str) -> str:
        """The name of a toolkit.

        Raises:
            InputError: it is unknown.
        """
        if name not in self.toolkits:
            raise unknown("no toolkit", name, self.toolkits, where)
        return name

    def persona(self, name: str, where: str) -> Persona:
        """The persona with an id.

        Raises:
            InputError: it is unknown.
        """
        try:
            return self.env.persona(name)
        except InputError as error:
            raise unknown("no persona", name, self.env.kind.persona_ids(self.env.world), where) from error

    def table(self, name: str, where: str) -> Table:
        """The table of this name.

        Raises:
            InputError: it is unknown.
        """
        if name not in self.tables:
            raise unknown("no table", name, self.tables, where)
        return self.tables[name]

    def columns(self, table: Table, names: Iterable[str], where: str) -> None:
        """Check the names of columns.

        Raises:
            InputError: the table lacks one.
        """
        for name in names:
            if name not in table.columns:
                raise unknown(f"no column of {table.name}", name, table.columns, f"{where}.{name}")
