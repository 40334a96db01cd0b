"""The list of a server's tools: kept in a file, and compared when the server is met again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_model
from worksmith.tools.files.unicode import writable_data
from worksmith.tools.seeding import digest


class ListedTool(BaseModel):
    """A tool as its server describes it.

    Attributes:
        name: the server's own.
        input_schema: JSON schema of the arguments.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=dict)


class Listing(BaseModel):
    """All tools of a server, by name.

    Attributes:
        tools: sorted by their names.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tools: tuple[ListedTool, ...]

    @classmethod
    def of(cls, tools: Iterable[ListedTool], where: str) -> Listing:
        """The listing of these tools."""
        found = sorted(tools, key=lambda tool: tool.name)
        twice = [name for name, number in Counter(tool.name for tool in found).items() if number > 1]
        if twice or not found:
            fault = f"two of its tools are called {twice[0]}" if twice else "it has no tools"
            raise InputError(fault, where=where)
        return cls.model_validate(writable_data({"tools": [tool.model_dump() for tool in found]}))

    @classmethod
    def read(cls, file: Path) -> Listing:
        """The listing in a file.

        Raises:
            InputError: it cannot be read, or is not a listing.
        """
        hint = "remove the file to ask the server again"
        return cls.of(read_model(file, cls, "a list of an MCP server's tools", hint=hint).tools, str(file))

    def write(self, file: Path) -> None:
        """Keep the listing in a file."""
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.model_dump(), ensure_ascii=False, indent=1)
        write_atomically(file, f"{text}\n".encode())

    @property
    def digest(self) -> str:
        """The content address."""
        return digest(self.model_dump())

    def chosen(self, patterns: Iterable[str], where: str) -> tuple[ListedTool, ...]:
        """The tools whose names match a pattern such as `get_*`."""
        if isinstance(patterns, str):
            raise InputError(f"{patterns!r} is one text", where=where, hint=f"write [{patterns!r}]")
        patterns = tuple(patterns)
        for pattern in patterns:
            if not any(fnmatchcase(tool.name, pattern) for tool in self.tools):
                raise unknown("the server has no tool", pattern, [tool.name for tool in self.tools], where)
        return tuple(
            tool for tool in self.tools if any(fnmatchcase(tool.name, pattern) for pattern in patterns)
        )

    def changes(self, now: Listing) -> Sequence[str]:
        """The differences of another listing of the same server, for people; empty without any."""
        before, after = ({tool.name: tool for tool in each.tools} for each in (self, now))
        parts = ("description", "input_schema")
        changed = [
            f"{name}: another {' and '.join(different)}".replace("input_schema", "schema")
            for name in sorted(before.keys() & after.keys())
            if (different := [p for p in parts if getattr(before[name], p) != getattr(after[name], p)])
        ]
        gone = [f"{name} is gone" for name in sorted(before.keys() - after.keys())]
        return [*changed, *gone, *(f"{name} is new" for name in sorted(after.keys() - before.keys()))]
