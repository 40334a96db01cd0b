"""Searching a source inside an episode: the readable records with the changes of the episode."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import apsw

from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.schema import ROW, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from worksmith.retrievers.index.collection import Collection
    from worksmith.retrievers.index.library import Library
    from worksmith.tools.access.guard import Guard, Sql
    from worksmith.tools.tool_context import ToolContext

_REMEMBERED = 4096
"""The pairs of rights and source whose readable records of the unchanged world are remembered."""

_masks: WeakKeyDictionary[Library, dict[Any, NDArray[Any]]] = WeakKeyDictionary()
"""Masks with eight records a byte, by source, policy and rights."""


@dataclass(frozen=True)
class Searched:
    """The text of a source's records.

    Attributes:
        columns: those that the text is made of.
        text_of: makes it from a record.
    """

    columns: tuple[str, ...]
    text_of: Callable[[Mapping[str, Any]], str]


@dataclass
class _Edits:
    """The changes of an episode in the records of a source.

    Attributes:
        changed: the texts of new and changed records, by key.
        gone: keys of deleted records.
        tables: all that it has changed.
    """

    changed: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)


def best(
    ctx: ToolContext,
    guard: Guard,
    source: str,
    text: str,
    conditions: Sequence[Sql],
    limit: int,
    searched: Searched,
) -> list[str]:
    """The keys of the records nearest to `text`, best first.

    Only records that the persona may read and that meet the conditions are ranked at all, so that no other
    record takes a place or moves another.
    """
    if ctx.library is None:
        raise ToolError("Nothing can be searched by query here; use the other arguments.")
    collection = ctx.library.collection(source)
    guard.note(source, private=not guard.private_fields(source).isdisjoint(searched.columns))
    guard.announce(source)
    edits = _edits_of(ctx, guard, source, searched)
    allowed, everything = None, False
    if not conditions and edits.tables.isdisjoint(guard.decisive(source)):
        everything, allowed = _at_rest(ctx, guard, collection, searched)
    if everything:
        changed = edits.changed
    elif allowed is not None:
        changed = {}
        if edits.changed:
            changed = _kept(
                edits.changed, _searchable(guard, source, searched, [_among(guard, source, edits)])
            )
            allowed = collection.with_changes(allowed, edits.changed, changed)
    else:
        keys = _searchable(guard, source, searched, conditions)
        allowed, changed = collection.mask(keys), _kept(edits.changed, keys)
    hits = collection.search(text, limit, allowed=allowed, changed=changed, gone=edits.gone)
    return [hit.key for hit in hits]


def _kept(changed: Mapping[str, str], keys: Iterable[str]) -> dict[str, str]:
    return {key: changed[key] for key in keys if key in changed} if changed else {}


def _among(guard: Guard, source: str, edits: _Edits) -> Sql:
    condition = f"{quoted(guard.key(source))} IN (SELECT value FROM json_each(?))"
    return condition, [json.dumps(sorted(edits.changed))]


def _edits_of(ctx: ToolContext, guard: Guard, source: str, searched: Searched) -> _Edits:
    edits = _Edits()
    if not ctx.changeset:
        return edits
    key, columns = guard.key(source), (ROW, *guard.table(source).columns)
    for change in apsw.Changeset.iter(ctx.changeset):
        edits.tables.add(change.name)
        if change.name != source:
            continue
        if change.op == "DELETE":
            edits.gone.add(str(_cells(columns, change.old)[key]))
        else:
            row = _cells(columns, change.new or ()).get(ROW) or _cells(columns, change.old)[ROW]
            record = ctx.rows(f"SELECT * FROM main.{quoted(source)} WHERE {ROW} = ?", (row,))[0]
            edits.changed[str(record[key])] = searched.text_of(record)
    edits.gone -= edits.changed.keys()
    return edits


def _searchable(guard: Guard, source: str, searched: Searched, conditions: Sequence[Sql] = ()) -> list[str]:
    """The keys of the readable records that meet the conditions, as far as their texts hold nothing private.

    A hit reveals the text, so if rules make a searched field private, only personas who see that field find
    the record.
    """
    keys = guard.keys(source, conditions)
    if not guard.private_fields(source).isdisjoint(searched.columns):
        withheld = guard.withheld(source, keys)
        keys = [key for key in keys if key not in withheld]
    return [str(key) for key in keys]


def _at_rest(
    ctx: ToolContext, guard: Guard, collection: Collection, searched: Searched
) -> tuple[bool, NDArray[Any] | None]:
    """The searchable records of the persona in the world at rest: whether all, else the mask, if it is known.

    It is made once for all people with the same rights, by an episode that has changed nothing.
    """
    import numpy as np

    assert ctx.library is not None
    source = collection.source
    reading, private = guard.rights(source)
    if guard.private_fields(source).isdisjoint(searched.columns):
        private = "1"
    if (reading, private) == ("1", "1"):
        return True, None
    known = _masks.setdefault(ctx.library, {})
    name = (source, ctx.policy.digest, reading, private)
    packed = known.get(name)
    if packed is None:
        if ctx.changeset:
            return False, None
        if len(known) >= _REMEMBERED:
            known.clear()
        packed = known[name] = np.packbits(collection.mask(_searchable(guard, source, searched)))
    return False, np.unpackbits(packed, count=len(collection.keys)).view(np.bool_)


def _cells(columns: Sequence[str], values: Sequence[Any] | None) -> dict[str, Any]:
    return {c: v for c, v in zip(columns, values or (), strict=False) if v is not apsw.no_change}
