"""Names in task files, of tools, personas, tables, columns and keys; the nearest ones for a wrong name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from worksmith.tools.errors import InputError, names_instead

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona
    from worksmith.tools.sqlite.schema import Table


class Names:
    """The names that tasks over an environment can use."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.toolkits = tuple(toolkit.name for toolkit in env.kind.toolkits)
        self.tools = {tool.name: tool for kit in env.kind.toolkits for tool in kit.tools}
        self.tables = {table.name: table for table in env.kind.tables}

    def tool(self, name: str, where: str) -> str:
        """The full name of a tool.

        Raises:
            InputError: there is none of this name, or several toolkits have one.
        """
        if name in self.tools:
            return name
        found = [full for full in self.tools if full.partition(".")[2] == name]
        if len(found) > 1:
            raise InputError(
                f"several tools are called {name!r}", where=where, hint=f"write {' or '.join(found)}"
            )
        if not found:
            short = [full.partition(".")[2] for full in self.tools]
            raise unknown("tool", name, [*short, *self.tools] if "." in name else short, where)
        return found[0]

    def toolkit(self, name: str, where: str) -> str:
        """The name of a toolkit.

        Raises:
            InputError: there is none.
        """
        if name not in self.toolkits:
            raise unknown("toolkit", name, self.toolkits, where)
        return name

    def persona(self, name: str, where: str) -> Persona:
        """The persona with an id.

        Raises:
            InputError: there is none.
        """
        try:
            return self.env.persona(name)
        except InputError as error:
            raise unknown("persona", name, self.env.kind.persona_ids(self.env.world), where) from error

    def table(self, name: str, where: str) -> Table:
        """The table of this name.

        Raises:
            InputError: there is none.
        """
        if name not in self.tables:
            raise unknown("table", name, self.tables, where)
        return self.tables[name]

    def columns(self, table: Table, names: Iterable[str], where: str) -> None:
        """Check the names of columns.

        Raises:
            InputError: the table lacks one.
        """
        for name in names:
            if name not in table.columns:
                raise unknown(f"column of {table.name}", name, table.columns, f"{where}.{name}")


def unknown(what: str, name: str, known: Iterable[str], where: str) -> InputError:
    """The error for a name that is not among the known ones; names the nearest."""
    return InputError(f"no {what} {name!r}", where=where, hint=names_instead(name, known))
