"""What of each source is searched: the text of a record, and the fields that access rules look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw

from tools.kinds.enterprise.schema import KEYS
from tools.sqlite.schema import columns_sql, quoted

if TYPE_CHECKING:
    from retrievers.index.library import Library
    from retrievers.texts.documents import Document
    from tools.world import World

INDEX_FOLDER = "index"


@dataclass(frozen=True)
class Searched:
    """What an index holds of a source.

    Attributes:
        text: the columns whose texts are searched, in the order of the document. By the packaged rules none
            is private: everybody who may read a record may see all of them.
        fields: the columns that rules of access compare, kept for stores that filter by themselves.
    """

    text: tuple[str, ...]
    fields: tuple[str, ...] = ()


SEARCHED: Mapping[str, Searched] = {
    "employees": Searched(
        ("name", "title", "category", "skills", "description", "experience"),
        ("emp_id", "department", "level", "reports_to"),
    ),
    "conversations": Searched(("category", "text"), ("sender_emp_id", "recipient_emp_id")),
    "mail": Searched(
        ("subject", "sender_name", "recipient_name", "body"), ("sender_emp_id", "recipient_emp_id")
    ),
    "repositories": Searched(("repo_name", "path", "code"), ("emp_id", "repo_name", "path")),
    "issues": Searched(
        ("title", "repo_name", "path", "description"), ("emp_id", "repo_name", "path", "status")
    ),
    "tickets": Searched(("category", "issue", "resolution"), ("raised_by_emp_id", "emp_id", "status")),
    "products": Searched(("product_name", "category", "about_product")),
    "customers": Searched(("customer_name", "region")),
    "sentiments": Searched(("review_content",), ("product_id", "customer_id")),
    "support_chats": Searched(("text",), ("emp_id", "product_id", "customer_id")),
    "orders": Searched(("kind", "text"), ("customer_id",)),
    "overflow": Searched(("title", "tags", "body"), ("emp_id",)),
    "posts": Searched(("title", "body"), ("emp_id",)),
    "policies": Searched(("title", "text")),
    "clients": Searched(
        ("business_name", "industry", "business_type", "current_poc_product", "engagement_description"),
        ("emp_id",),
    ),
    "vendors": Searched(
        ("business_name", "industry", "business_type", "relationship_description"), ("emp_id",)
    ),
    "resumes": Searched(("name", "category", "content"), ("emp_id",)),
}
"""Every source with texts. A sale has none of its own; it is found through its product."""


def open_library(world: World) -> Library:
    """The search indexes of a world; words alone where none were built."""
    from retrievers.index.library import Library

    documents = {source: partial(documents_of, world, source) for source in SEARCHED}
    return Library(world.path / INDEX_FOLDER, documents, version=world.manifest.digest)


def documents_of(world: World, source: str) -> Iterator[Document]:
    """The documents of one source of a world at rest, in the order of its records."""
    from retrievers.texts.documents import Document

    searched, key = SEARCHED[source], KEYS[source]
    columns = tuple(dict.fromkeys((key, *searched.text, *searched.fields)))
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", world.image)
    try:
        for cells in connection.execute(f"SELECT {columns_sql(columns)} FROM {quoted(source)} ORDER BY _row"):
            row = dict(zip(columns, cells, strict=True))
            fields = {name: row[name] for name in searched.fields if row[name] is not None}
            yield Document(row[key], text_of(source, row), fields)
    finally:
        connection.close()


def text_of(source: str, row: Mapping[str, Any]) -> str:
    """The searched text of a record."""
    return "\n".join(str(row[column]) for column in SEARCHED[source].text if row[column])
