"""The indexed part of each source: the text of a record, and the fields for access rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from worksmith.tools.access.search import Searched
from worksmith.tools.kinds.enterprise.schema import KEYS

if TYPE_CHECKING:
    from worksmith.retrievers.index.library import Library
    from worksmith.retrievers.texts.documents import Document
    from worksmith.tools.world import World

INDEX_FOLDER = "index"


@dataclass(frozen=True)
class Indexed:
    """The indexed part of a source.

    Attributes:
        text: the columns whose texts are searched, in the order of the document. By the packaged rules none
            is private: everybody who may read a record may see all of them.
        fields: the columns that rules of access compare, kept for stores that filter by themselves.
    """

    text: tuple[str, ...]
    fields: tuple[str, ...] = ()

    @property
    def searched(self) -> Searched:
        """What searches in an episode need to know."""
        return Searched(self.text, self.text_of)

    def text_of(self, row: Mapping[str, Any]) -> str:
        """The searched text of a record."""
        return "\n".join(str(row[column]) for column in self.text if row[column])


SEARCHED: Mapping[str, Indexed] = {
    "employees": Indexed(
        ("name", "title", "category", "skills", "description", "experience"),
        ("emp_id", "department", "level", "reports_to"),
    ),
    "conversations": Indexed(("category", "text"), ("sender_emp_id", "recipient_emp_id")),
    "mail": Indexed(
        ("subject", "sender_name", "recipient_name", "body"), ("sender_emp_id", "recipient_emp_id")
    ),
    "repositories": Indexed(("repo_name", "path", "code"), ("emp_id", "repo_name", "path")),
    "issues": Indexed(
        ("title", "repo_name", "path", "description"), ("emp_id", "repo_name", "path", "status")
    ),
    "tickets": Indexed(("category", "issue", "resolution"), ("raised_by_emp_id", "emp_id", "status")),
    "products": Indexed(("product_name", "category", "about_product")),
    "customers": Indexed(("customer_name", "region")),
    "sentiments": Indexed(("review_content",), ("product_id", "customer_id")),
    "support_chats": Indexed(("text",), ("emp_id", "product_id", "customer_id")),
    "orders": Indexed(("kind", "text"), ("customer_id",)),
    "overflow": Indexed(("title", "tags", "body"), ("emp_id",)),
    "posts": Indexed(("title", "body"), ("emp_id",)),
    "policies": Indexed(("title", "text")),
    "clients": Indexed(
        ("business_name", "industry", "business_type", "current_poc_product", "engagement_description"),
        ("emp_id",),
    ),
    "vendors": Indexed(
        ("business_name", "industry", "business_type", "relationship_description"), ("emp_id",)
    ),
    "resumes": Indexed(("name", "category", "content"), ("emp_id",)),
}
"""Every source with texts. A sale has no text; it is found through its product."""


def open_library(world: World) -> Library:
    """The search indexes of a world; words alone without built ones."""
    from worksmith.retrievers.index.library import Library

    documents = {source: partial(documents_of, world, source) for source in SEARCHED}
    return Library(world.path / INDEX_FOLDER, documents, version=world.manifest.digest)


def documents_of(world: World, source: str) -> Iterator[Document]:
    """The documents of one source of an unchanged world, in the order of its records."""
    from worksmith.retrievers.texts.documents import Document

    searched, key = SEARCHED[source], KEYS[source]
    columns = tuple(dict.fromkeys((key, *searched.text, *searched.fields)))
    for row in world.rows(source, columns):
        fields = {name: row[name] for name in searched.fields if row[name] is not None}
        yield Document(row[key], searched.text_of(row), fields)
