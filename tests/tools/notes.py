"""A tiny world kind for tests of the core: one table of notes, tools that behave and tools that do not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import apsw

from worksmith.tools.episode import Episode
from worksmith.tools.errors import ToolError
from worksmith.tools.persona import Persona
from worksmith.tools.policy import Decision, Unrestricted
from worksmith.tools.sqlite.sandbox import SandboxPool
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool import Toolkit, tool, toolset
from worksmith.tools.tool_context import ToolContext
from worksmith.tools.world_kind import WorldKind

NOTES = Table("notes", ("note_id", "owner", "text"), generated=("note_id",), exact=("owner",))
SAM = Persona(id="sam", name="Sam")
NOW = datetime(2024, 10, 17)


@tool()
def search(ctx: ToolContext, text: str = "") -> list[dict[str, Any]]:
    """Find notes whose text contains a word.

    Args:
        text: the word; empty finds all.
    """
    return ctx.rows("SELECT note_id, owner, text FROM notes WHERE text LIKE ?", (f"%{text}%",))


@tool(writes=True)
def add(ctx: ToolContext, text: str, owner: str = "sam") -> str:
    """Add a note."""
    number = ctx.values("SELECT count(*) FROM notes")[0]
    ctx.execute("INSERT INTO notes (note_id, owner, text) VALUES (?, ?, ?)", (f"n{number}", owner, text))
    return f"n{number}"


@tool(writes=True)
def edit(ctx: ToolContext, note_id: str, text: str) -> str:
    """Change a note's text."""
    if not ctx.execute("UPDATE notes SET text = ? WHERE note_id = ?", (text, note_id)):
        raise ToolError("No such note.")
    return "Changed."


@tool(writes=True)
def delete(ctx: ToolContext, note_id: str) -> str:
    """Delete a note."""
    ctx.execute("DELETE FROM notes WHERE note_id = ?", (note_id,))
    return "Deleted."


@tool(writes=True)
def half(ctx: ToolContext) -> str:
    """Write something, then fail."""
    ctx.execute("DELETE FROM notes")
    raise ToolError("Changed my mind.")


@tool()
def sly(ctx: ToolContext) -> str:
    """Write although declared as reading."""
    ctx.execute("DELETE FROM notes")
    return "Nothing to see."


@tool(writes=True)
def sql(ctx: ToolContext, statement: str) -> str:
    """Run any SQL."""
    ctx.connection.execute(statement)
    return "Done."


@tool()
def shout(ctx: ToolContext, text: str) -> str:
    """Say a text that is written as JSON has it."""
    return str(json.loads(f'"{text}"'))


@tool()
def moan(ctx: ToolContext, text: str) -> str:
    """Refuse such a text."""
    raise ToolError(shout(ctx, text))


@tool()
def earlier(ctx: ToolContext) -> list[Any]:
    """What the calls before returned."""
    return list(ctx.results)


class Own(Unrestricted):
    """Notes of boss are nobody's business, and nobody may delete n0."""

    digest = "own"

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        if tool == "notes.delete" and arguments.get("note_id") == "n0":
            return Decision(False, "notes.keep-first", "The first note stays.")
        return Decision(True, "notes.own")

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        return [row for row in value if row["owner"] != "boss"] if tool == "notes.search" else value


KIT = Toolkit.of("notes", "Notes", (search, add, edit, delete, half, sly, sql, shout, moan, earlier))
KIND = WorldKind("notes", (NOTES,), (KIT,), (), lambda _: Own(), lambda *_: SAM, "Be kind.")


def image(rows: list[tuple[str, str, str]]) -> bytes:
    connection = apsw.Connection(":memory:")
    for statement in NOTES.ddl():
        connection.execute(statement)
    connection.executemany(NOTES.insert_sql(), rows)
    return connection.serialize("main")


def pool(size: int = 1) -> SandboxPool:
    rows = [("n0", "sam", "milk"), ("n1", "boss", "secret plan"), ("n2", "Kim", "bread")]
    return SandboxPool(image(rows), KIND.tables, size)


def episode(sandboxes: SandboxPool | None = None) -> Episode:
    return Episode(sandboxes or pool(), KIND, SAM, NOW, toolset(KIND.toolkits), Own())
