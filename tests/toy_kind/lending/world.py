"""The world: books, who has which, the tools to lend them, and who may use those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import apsw

from worksmith import InputError, Persona, ToolError
from worksmith.plugins.worlds import (
    Decision,
    Document,
    Library,
    Table,
    ToolContext,
    Toolkit,
    Unrestricted,
    World,
    WorldKind,
    tool,
)

BOOKS = Table("books", ("book_id", "title", "about"), writable=False)
LOANS = Table("loans", ("book_id", "member_id", "since"))
MEMBERS = tuple(Persona(id=f"m{n}", name=name) for n, name in enumerate(("Ana Roe", "Bo Ek", "Cy Hart"), 1))


@tool()
def search(ctx: ToolContext, query: str) -> list[dict[str, Any]]:
    """Find books by what they are about.

    Args:
        query: words of the subject.
    """
    assert ctx.library is not None
    hits = ctx.library.collection("books").search(query, 3)
    return [_book(ctx, "book_id", hit.key) for hit in hits]


@tool()
def find(ctx: ToolContext, title: str) -> dict[str, Any]:
    """Find a book by its title.

    Args:
        title: the whole title.
    """
    return _book(ctx, "title", title)


@tool(writes=True)
def lend(ctx: ToolContext, book_id: str) -> str:
    """Lend a book to the member who asks.

    Args:
        book_id: the id of the book.
    """
    if ctx.values("SELECT 1 FROM loans WHERE book_id = ?", (book_id,)):
        raise ToolError("Somebody has this book.")
    today = ctx.now.date().isoformat()
    ctx.execute(
        "INSERT INTO loans (book_id, member_id, since) VALUES (?, ?, ?)", (book_id, ctx.persona.id, today)
    )
    return "lent"


@tool(writes=True)
def give_back(ctx: ToolContext, book_id: str) -> str:
    """Take a book back.

    Args:
        book_id: the id of the book.
    """
    ctx.execute("DELETE FROM loans WHERE book_id = ?", (book_id,))
    return "given back"


def _book(ctx: ToolContext, column: str, value: str) -> dict[str, Any]:
    found = ctx.rows(f"SELECT book_id, title, about FROM books WHERE {column} = ?", (value,))
    if not found:
        raise ToolError("There is no such book.")
    return found[0]


class Members(Unrestricted):
    """Members may use all tools, strangers none."""

    digest = "members/1"

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        return Decision(persona in MEMBERS, "members-only")


def find_member(_world: World, member_id: str) -> Persona:
    for member in MEMBERS:
        if member.id == member_id:
            return member
    raise InputError(f"no member {member_id!r}", hint=f"there are {', '.join(m.id for m in MEMBERS)}")


def open_library(world: World) -> Library:
    """The search index over the books."""

    def documents() -> Iterator[Document]:
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", world.image)
        for key, title, about in connection.execute("SELECT book_id, title, about FROM books ORDER BY _row"):
            yield Document(str(key), f"{title}. {about}")

    return Library(world.path / "index", {"books": documents}, version=world.manifest.digest)


LENDING = WorldKind(
    name="lending",
    tables=(BOOKS, LOANS),
    toolkits=(
        Toolkit.of("books", "the catalogue", (search, find)),
        Toolkit.of("loans", "lending", (lend, give_back)),
    ),
    shared_toolkits=(),
    open_policy=lambda _: Members(),
    find_persona=find_member,
    house_rules="A book is lent to one member at a time.",
    open_library=open_library,
)
