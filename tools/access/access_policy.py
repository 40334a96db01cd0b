"""The policy engine: decides by a policy document, in Python and in SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import apsw

from worksmith.tools.access.checks import Surroundings
from worksmith.tools.access.conditions import ALWAYS, NEVER, Condition, both, tables_of
from worksmith.tools.access.document import PolicyDocument, Rule
from worksmith.tools.access.forms import holds, sql
from worksmith.tools.access.lookup import Lookup, Record
from worksmith.tools.access.predicates import Always
from worksmith.tools.access.reading import read_document
from worksmith.tools.access.specialise import allowed, specialised
from worksmith.tools.persona import FIELDS, Persona
from worksmith.tools.policy import Decision, Policy, parted, private_part
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.schema import ROW, Table, quoted

_CACHED = 8192
"""Compiled forms to keep: every source and operation for a hundred personas."""

NO_FIELDS: frozenset[str] = frozenset()


class AccessPolicy:
    """The access rules of a world. Implements `worksmith.tools.policy.Policy`.

    Everything is denied that no rule allows, and everything to a persona who is not active. Immutable
    and thread-safe; the compiled form for a persona is kept.

    Args:
        tables: the sources that the rules are about, for the types of their columns.
    """

    def __init__(self, document: PolicyDocument, tables: Iterable[Table]) -> None:
        self.document = document
        self._tables = {table.name: table for table in tables}
        self.digest = digest(document.model_dump(mode="json", by_alias=True))
        self._compiled = lru_cache(_CACHED)(self._compile)
        self._written = lru_cache(_CACHED)(self._write)

    @property
    def open(self) -> bool:
        """Whether every active persona may read everything, and every demonstration quote it."""
        return all(
            settings.private is None
            and settings.demonstrations is True
            and any(isinstance(rule.when, Always) for rule in self.document.rules(name, "read"))
            for name, settings in self.document.sources.items()
        )

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        """May `persona` use `tool` on any record at all? The arguments do not matter.

        Rules on records are applied when the tool reads or changes them, by `Guard`.
        """
        if tool not in self.document.tools:
            return Decision(False, "unknown tool", f"The access rules do not mention {tool}.")
        use = self.document.tools[tool]
        if use is not None:
            return self.possible(persona, *use)
        return Decision(True, "active") if persona.active else _left()

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        """`value`: tools read through `Guard`, which has left out what `persona` may not read."""
        return value

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        """Those of the references (see `ToolContext.reads`) that `persona` may not read in this database.

        A missing record counts as unreadable, since its owner is unknown.
        """
        sources: dict[str, set[str]] = {}
        for reference in references:
            source, name, _ = parted(reference)
            sources.setdefault(source, set()).add(name)
        return references - {
            readable
            for source, names in sources.items()
            for readable in self._readable(persona, source, names, connection)
        }

    def _readable(
        self, persona: Persona, source: str, names: set[str], connection: apsw.Connection
    ) -> Iterator[str]:
        """The references to records with these keys, and to their private part, that `persona` may read.

        Looks at the rows of these keys only, by the index of the key, if there is one. Of several rows with
        one key all must be readable, and for `*` all rows.
        """
        if source not in self.document.sources or not persona.active:
            return
        key, table = quoted(self.document.sources[source].key), f"main.{quoted(source)} AS r"
        readable, shown = self.condition(persona, source, "read"), self.private_condition(persona, source)
        private = f"({readable}) AND ({shown})"
        found = connection.execute(
            f"SELECT r.{key}, min(({readable}) IS TRUE), min(({private}) IS TRUE) FROM {table} "
            f"WHERE r.{key} IN (SELECT value FROM json_each(?)) GROUP BY r.{key}",
            (json.dumps(sorted(names - {"*"})),),
        ).fetchall()
        if "*" in names:
            other = f"NOT EXISTS (SELECT 1 FROM {table} WHERE ({{}}) IS NOT TRUE)".format
            found += connection.execute(f"SELECT '*', {other(readable)}, {other(private)}").fetchall()
        for name, whole, all_fields in found:
            reference = f"{source}/{name}"
            if whole:
                yield reference
            if all_fields:
                yield private_part(reference)

    def unquoted(self, references: frozenset[str], connection: apsw.Connection) -> frozenset[str]:
        """Those of the references that no demonstration may quote."""
        found = set()
        for reference in references:
            source, key, _ = parted(reference)
            settings = self.document.sources.get(source)
            if settings is None or settings.demonstrations is True:
                continue
            kept_out = "1"
            if settings.demonstrations is not False:
                fields = [name for name, allowed in settings.demonstrations.items() if not allowed]
                kept_out = " OR ".join(f"r.{quoted(name)} <> ''" for name in fields) or "0"
            rows = f"SELECT 1 FROM main.{quoted(source)} AS r WHERE ({kept_out})"
            same = f"(?1 = '*' OR r.{quoted(settings.key)} = ?1)"
            if connection.execute(f"{rows} AND {same} LIMIT 1", (key,)).fetchall():
                found.add(reference)
        return frozenset(found)

    def private_fields(self, source: str) -> tuple[str, ...]:
        settings = self.document.sources.get(source)
        return tuple(settings.private.fields) if settings and settings.private else ()

    def possible(self, persona: Persona, source: str, operation: str) -> Decision:
        """Whether any record of `source`, real or not, allows this to `persona`."""
        if not persona.active:
            return _left()
        chances = self.chances(persona, source, operation)
        if chances:
            return Decision(True, chances[0][0].id)
        return Decision(
            False, f"{source}.{operation}", f"No rule lets you {operation} any record of {source}."
        )

    def chances(self, persona: Persona, source: str, operation: str) -> list[tuple[Rule, bool]]:
        """The rules by which `persona` may do this to some record, and whether to every one."""
        found = []
        for rule in self.document.rules(source, operation):
            condition = self._condition((rule,), persona, source)
            if condition != NEVER:
                found.append((rule, condition == ALWAYS))
        return found

    def allows(
        self,
        persona: Persona,
        source: str,
        operation: str,
        record: Record,
        lookup: Lookup,
        fields: frozenset[str] = NO_FIELDS,
    ) -> Decision:
        """May `persona` do this to `record`?

        Args:
            fields: the fields that an update changes. Each must be allowed by some rule, not all by the same.
                Without fields the question is about the whole record, which a rule for some fields does not
                allow.
        """
        if not persona.active:
            return _left()
        names: dict[str, None] = {}
        for field in _each(fields):
            rules = self._rules(source, operation, field)
            rule = next(
                (r for r in rules if holds(self._condition((r,), persona, source), record, lookup)), None
            )
            if rule is None:
                return denial(source, operation, field)
            names[rule.id] = None
        return Decision(True, ", ".join(names))

    def sees_private(self, persona: Persona, source: str, record: Record, lookup: Lookup) -> Decision:
        """Whether `persona` sees the private fields of a record that it may read."""
        private = self.document.sources[source].private
        if private is None:
            return Decision(True, "no private fields")
        if not persona.active:
            return _left()
        shown = holds(self._private(persona, source), record, lookup)
        return Decision(shown, private.rule.id, "" if shown else f"Some fields of {source} are private.")

    def condition(
        self, persona: Persona, source: str, operation: str, fields: frozenset[str] = NO_FIELDS
    ) -> str:
        """The SQL form: true for a row `r` of `source` exactly if `allows` is true.

        Otherwise it may be NULL as well as false, so it must not be negated.
        """
        return self._written(persona, source, operation, fields)

    def view(self, persona: Persona, source: str, columns: Sequence[str]) -> str:
        """A SELECT of what `persona` may read of `source`, the hidden position first.

        Private fields are NULL in the rows where they are private.
        """
        shown = self.private_condition(persona, source)
        hidden = set(self.private_fields(source)) if shown != "1" else set()
        cells = [f"{'private' if name in hidden else 'r'}.{quoted(name)}" for name in columns]
        # The row is joined to itself, so that SQLite plans and tests the condition once, not for each field.
        join = f"LEFT JOIN main.{quoted(source)} AS private ON private.{ROW} = r.{ROW} AND ({shown}) "
        return (
            f"SELECT r.{ROW}, {', '.join(cells)} FROM main.{quoted(source)} AS r {join if hidden else ''}"
            f"WHERE {self.condition(persona, source, 'read')}"
        )

    def announces(self, persona: Persona, source: str) -> bool:
        """Whether results of a source have a note for `persona` that they hold only readable records.

        It depends on the rules and the persona, so it reveals nothing of the records.
        """
        settings = self.document.sources.get(source)
        return settings is not None and settings.announce and self.condition(persona, source, "read") != "1"

    def private_condition(self, persona: Persona, source: str) -> str:
        """An SQL condition on a readable row `r`: the persona sees its private fields."""
        return sql(self._private(persona, source))

    def decisive(self, persona: Persona, source: str) -> frozenset[str]:
        """The tables that decide, besides the record itself, what `persona` sees of `source`."""
        return tables_of(self._whole(persona, source, "read")) | tables_of(self._private(persona, source))

    def deciding(self, persona: Persona, source: str) -> set[str]:
        """The references to what decides, besides the record, on the rights of `persona` in a source."""
        tables = tables_of(self._private(persona, source))
        if (settings := self.document.sources.get(source)) is not None:
            tables |= tables_of(self._condition(settings.rules, persona, source))
        found = {f"{table}/*" for table in tables}
        return found | {private_part(f"{table}/*") for table in tables if self.decides_by_private(table)}

    def decides_by_private(self, source: str) -> bool:
        """Whether some rule compares a private field of a source."""
        compared = {name.lower() for name in self.document.compared.get(source, ())}
        return not compared.isdisjoint(map(str.lower, self.private_fields(source)))

    def told_of(self, persona: Persona, *, wholly: bool = False) -> set[str]:
        """References to the records from which a prompt knows the persona that it works for.

        Args:
            wholly: to all that a persona is made of, and not only to the fields that prompts show.
        """
        people = self.document.people
        if people is None:
            return set()
        read = {f"{people.source}/{persona.id}"}
        private = {name.lower() for name in self.private_fields(people.source)}
        told = set(map(private_part, read)) if private & (private if wholly else set(FIELDS)) else set()
        if wholly:
            read |= {f"{people.source}/{manager}" for manager in persona.managers}
        if self.decides_by_private(people.source):
            told |= set(map(private_part, read))
        return read | told

    def _rules(self, source: str, operation: str, field: str | None) -> tuple[Rule, ...]:
        """The rules that can allow this operation on a field, or on the whole record."""
        rules = self.document.rules(source, operation)
        return tuple(r for r in rules if r.fields is None or (field is not None and field in r.fields))

    def _whole(self, persona: Persona, source: str, operation: str) -> Condition:
        return self._condition(self._rules(source, operation, None), persona, source)

    def _condition(self, rules: tuple[Rule, ...], persona: Persona, source: str) -> Condition:
        return self._compiled(persona, source, tuple(rule.id for rule in rules))

    def _private(self, persona: Persona, source: str) -> Condition:
        settings = self.document.sources.get(source)
        if settings is None or settings.private is None:
            return ALWAYS
        return self._compiled(persona, source, (settings.private.rule.id,))

    def _compile(self, persona: Persona, source: str, ids: tuple[str, ...]) -> Condition:
        settings = self.document.sources.get(source)
        if settings is None:
            return NEVER
        if settings.private and ids == (settings.private.rule.id,):
            return specialised(self.document, self._tables, persona, source, settings.private.rule.when)
        return allowed(
            self.document, self._tables, persona, source, [r for r in settings.rules if r.id in ids]
        )

    def _write(self, persona: Persona, source: str, operation: str, fields: frozenset[str]) -> str:
        parts = [self._condition(self._rules(source, operation, f), persona, source) for f in _each(fields)]
        whole = both(parts)
        return "1" if whole == ALWAYS else f"({sql(whole)})"


def _each(fields: frozenset[str]) -> list[str | None]:
    """The fields in question; None is the whole record."""
    return [*sorted(fields)] or [None]


def _left() -> Decision:
    return Decision(False, "inactive", "You do not work here any more.")


def key_column(policy: Policy, table: Table) -> str:
    """The column by whose values rules and tasks name the rows of a table."""
    settings = policy.document.sources.get(table.name) if isinstance(policy, AccessPolicy) else None
    return settings.key if settings else table.columns[0]


def denial(source: str, operation: str, field: str | None = None) -> Decision:
    """No rule allows this on a record, or on a field of it."""
    what = f"{field} of this record" if field else "this record"
    return Decision(False, f"{source}.{operation}", f"No rule lets you {operation} {what} of {source}.")


def load_policy(
    policy: Path | str, tables: Iterable[Table], tools: frozenset[str] | None = None
) -> AccessPolicy:
    """The engine over a policy document.

    Args:
        policy: a path, or the text of a document.
        tables: the sources there are.
        tools: the names of the tools there are; None leaves them unchecked.

    Raises:
        InputError: see `read_document`.
    """
    found = {table.name: table for table in tables}
    return AccessPolicy(read_document(policy, Surroundings(found, tools)), found.values())
