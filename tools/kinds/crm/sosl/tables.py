"""The search index of a CRM world: one FTS5 table beside each object's, in the world's own file.

A sandbox may create nothing, so the index is built with the world and travels with it. It keeps no texts
(`content=''`), only words, which `words` has made: the same for texts and for search terms. Its rows have the
numbers of the object's rows. The changes of an episode are indexed for a search and rolled back with it, so a
search sees the episode's own writes and a waiting episode stays a changeset.

Every searched field is its own column, so that a search can be confined to the readable fields.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import apsw

from worksmith.tools.kinds.crm.schema import CrmObject, Schema, crm_schema
from worksmith.tools.sqlite.schema import ROW, Table, columns_sql, quoted

_WORD = re.compile(r"[^\W_]+")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)es$")


def words(text: str) -> list[str]:
    """The words of `text`, in order, as the index knows them."""
    return [singular(word) for word in _WORD.findall(flat(html.unescape(text)))]


def forms(word: str) -> list[str]:
    plurals = [f"{word}s", f"{word}es", f"{word[:-1]}ies"]
    return [word, *(plural for plural in plurals if singular(plural) == word)]


def flat(text: str) -> str:
    """`text` in small letters without accents."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()


def singular(word: str) -> str:
    """`word` without the ending of an English plural."""
    if len(word) < 4 or not word.isascii() or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if _SIBILANT.search(word):
        return word[:-2]
    return word[:-1]


GROUPS = ("name", "email", "phone", "text")
"""Groups of fields that a search can be confined to."""

Cells = Sequence[str | None]


@dataclass(frozen=True)
class SearchTable(Table):
    """The index of one object, written like any other table of a world."""

    def ddl(self) -> list[str]:
        """The statements that create the index and the list of its words."""
        own, its_words = quoted(self.name), quoted(vocabulary(self.name))
        options = "content='', contentless_delete=1, tokenize='ascii'"
        return [
            f"CREATE VIRTUAL TABLE {own} USING fts5({columns_sql(self.columns)}, {options})",
            f"CREATE VIRTUAL TABLE {its_words} USING fts5vocab({own}, 'col')",
        ]


def index_name(name: str) -> str:
    """The name of the index of object `name`."""
    return f"search_{name}"


def vocabulary(index: str) -> str:
    return f"{index}_words"


def searchable(schema: Schema) -> tuple[CrmObject, ...]:
    return tuple(each for each in schema.objects if searched(each))


def searched(each: CrmObject, groups: Collection[str] = GROUPS) -> tuple[str, ...]:
    """The fields of an object that searches of some groups look at: columns of its index."""
    return tuple(field.name for field in each.queryable if field.find in groups)


SEARCH_TABLES = tuple(
    SearchTable(index_name(each.name), searched(each), writable=False) for each in searchable(crm_schema())
)
"""The indexes, for the tables of `worksmith.tools.kinds.crm.schema` and the rows of `search_rows`."""


def search_rows(rows: Mapping[str, Iterable[Cells]]) -> dict[str, list[tuple[str, ...]]]:
    """The rows of all indexes, for the rows of the objects' tables in the order in which they are written."""
    return {
        index_name(each.name): [_entry(each, row) for row in rows.get(each.name, ())]
        for each in searchable(crm_schema())
    }


def index_changes(connection: apsw.Connection, changeset: bytes) -> None:
    """Bring the indexes up to date with what `changeset` has changed; it is applied to the tables already."""
    known = {each.name: each for each in searchable(crm_schema())}
    for name, row in _changed(changeset):
        if name in known:
            _index_again(connection, known[name], row)


def _changed(changeset: bytes) -> Iterator[tuple[str, int]]:
    for change in apsw.Changeset.iter(changeset):
        cells = change.old if change.new is None else change.new
        # An update leaves out what has not changed of the new row, but never the old row's key.
        key = change.old[0] if change.old is not None else cells[0]  # type: ignore[index]
        yield change.name, int(key)  # type: ignore[arg-type]


def _index_again(connection: apsw.Connection, each: CrmObject, row: int) -> None:
    index = quoted(index_name(each.name))
    connection.execute(f"DELETE FROM {index} WHERE rowid = ?", (row,))
    sql = f"SELECT {columns_sql(each.columns)} FROM {quoted(each.name)} WHERE {ROW} = ?"
    cells: tuple[str | None, ...] | None = connection.execute(sql, (row,)).fetchone()
    if cells is not None:
        columns = searched(each)
        marks = ", ".join("?" * len(columns))
        sql = f"INSERT INTO {index} (rowid, {columns_sql(columns)}) VALUES (?, {marks})"
        connection.execute(sql, (row, *_entry(each, cells)))


def _entry(each: CrmObject, cells: Cells) -> tuple[str, ...]:
    fields = zip(each.queryable, cells, strict=True)
    return tuple(" ".join(words(cell or "")) for field, cell in fields if field.find)
