"""The access rules of user tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.checks import Surroundings
from worksmith.tools.access.document import PolicyDocument, Rule, Source
from worksmith.tools.access.predicates import OPERATIONS, Always
from worksmith.tools.access.reading import read_document
from worksmith.tools.sqlite.schema import Table

if TYPE_CHECKING:
    from worksmith.tools.kinds.own_data.personas import OnePersona, Personas

OPEN = "No policy is set: everybody may read and change everything."


def own_policy(
    document: Path | str | None,
    tables: Sequence[Table],
    tools: Iterable[str],
    personas: Personas | OnePersona,
    unquoted: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> AccessPolicy:
    """The access rules of a world of own tables.

    Args:
        document: the file of the policy, or its text; None allows everybody everything.
        tables: with the key as their first index. The document need not name keys.
        tools: the names of all tools. Those that the document does not name may be called by everybody
            active; each record that they read or change is checked.
        personas: the people of the environment.
        unquoted: by table the fields that no demonstration may quote, besides those of the document.

    Raises:
        InputError: the document cannot be read or is invalid; `where` names the place.
    """
    names = frozenset(tools)
    if document is None:
        found = _open(tables)
    else:
        around = Surroundings(
            tables={table.name: table for table in tables},
            tools=names,
            keys={table.name: table.indexes[0] for table in tables},
            people=personas.people,
            persona=personas.fields,
        )
        found = read_document(document, around)
    uses = dict.fromkeys(sorted(names)) | found.tools
    # A source without rules has a key too: it distinguishes a denial from a missing record.
    sources = {table.name: Source(key=table.indexes[0], rules=()) for table in tables} | found.sources
    for name, fields in unquoted.items():
        if allowed := sources[name].demonstrations:
            given = dict.fromkeys(fields, False) | ({} if allowed is True else allowed)
            sources[name] = sources[name].model_copy(update={"demonstrations": given})
    return AccessPolicy(found.model_copy(update={"tools": uses, "sources": sources}), tables)


def _open(tables: Sequence[Table]) -> PolicyDocument:
    sources = {
        table.name: Source(
            key=table.indexes[0],
            rules=(Rule(id=f"open.{table.name}", operations=OPERATIONS, when=Always(always=True)),),
        )
        for table in tables
    }
    return PolicyDocument(note=OPEN, sources=sources)
