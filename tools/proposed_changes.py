"""From the outcome of an episode to changes that people may see, approve and commit."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from pydantic_core import to_jsonable_python

from worksmith.tools.access.access_policy import AccessPolicy, key_column
from worksmith.tools.change_set import ChangeSet, ProposedChange
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.files.unicode import writable_data
from worksmith.tools.policy import private_part
from worksmith.tools.sqlite.cells import json_text
from worksmith.tools.sqlite.schema import columns_sql, quoted
from worksmith.tools.world_kind import LIVE, PastReplies

if TYPE_CHECKING:
    import apsw

    from worksmith.tools.environment import Environment
    from worksmith.tools.episode import Episode
    from worksmith.tools.episode_result import CallRecord, EpisodeResult
    from worksmith.tools.persona import Persona
    from worksmith.tools.sqlite.cells import CellValue
    from worksmith.tools.sqlite.outcome import Operation, Outcome
    from worksmith.tools.sqlite.schema import Table


_NOT_MADE = frozenset({"refused", "unknown_tool", "bad_arguments"})
"""The statuses of calls that reached no tool: they are not made again, and keep their number."""


class StaleError(Exception):
    """The calls of a task no longer make the changes that were proposed.

    Attributes:
        rows: the tables and keys of the rows that were changed since, if that is why.
    """

    def __init__(self, rows: Sequence[tuple[str, CellValue]] = ()) -> None:
        super().__init__()
        self.rows = rows


def content_of(task: str, now: datetime, result: EpisodeResult, env: Environment) -> dict[str, Any]:
    """The content of a proposal from an episode with changes.

    Args:
        task: the text of the request.
        now: the clock of the episode.
    """
    calls = [
        {
            "tool": call.tool,
            "arguments": to_jsonable_python(call.arguments, fallback=str),
            "status": call.observation.status,
            **({"reply": _reply(call)} if env.backend == LIVE and call.tool in env.kind.outside else {}),
        }
        for call in result.calls
    ]
    asked = {"task": task, "now": now.isoformat()}
    return {**asked, "calls": writable_data(calls), **_made(result.outcome, env)}


def _reply(call: CallRecord) -> Any:
    seen = call.observation
    return {"value": seen.value, "wrote": call.wrote} if seen.status == "ok" else {"error": seen.text}


def _made(outcome: Outcome, env: Environment) -> dict[str, Any]:
    """The changes by keys: positions are others when rows came or went."""
    columns = {table.name: key_column(env.policy, table) for table in env.kind.tables}
    rows = {place: (row[columns[place[0]]], row) for place, row in outcome.made_on().items()}
    keys = {place: key for place, (key, _) in rows.items()}
    keys |= {(each.table, each.row): each.key for each in outcome.changes}
    written = [[table, keys.get((table, row)), column] for table, row, column in outcome.written]
    return {
        "changes": sorted(outcome.to_json(), key=repr),
        "written": sorted(written, key=repr),
        "rows": [[table, key, row] for (table, _), (key, row) in rows.items()],
    }


class Replayed:
    """The changes of a proposal, made again by its calls under today's access rules.

    Calls outside are not made again: they get the replies that they got.

    Raises:
        StaleError: a row has changed since the proposal, or the calls no longer make these changes because
            rules, tables or tools have changed.
    """

    def __init__(self, env: Environment, content: Mapping[str, Any], persona: Persona) -> None:
        self._env, self._content, self.persona = env, content, persona
        if "rows" not in self._content:  # an earlier version kept less
            raise StaleError
        self._episode = env.episode(persona=persona, now=datetime.fromisoformat(self._content["now"]))
        replies = [(call["tool"], call["reply"]) for call in self._content["calls"] if "reply" in call]
        if replies or env.backend is not None:
            self._episode.backend = PastReplies(replies)
        self._rest = self._episode.copy()
        self._tables = {table.name: table for table in env.kind.tables}
        if changed := self._rest.edit(self._changed):
            raise StaleError(changed)
        for call in self._content["calls"]:
            if call["status"] in _NOT_MADE:
                self._episode.refuse(call["tool"], call["arguments"], "")
            else:
                self._episode.call(call["tool"], call["arguments"])
        made = self._episode.outcome()
        again = to_jsonable_python(_made(made, env))
        if any(self._content.get(name) != value for name, value in again.items()):
            raise StaleError
        rows = made.proposed()
        old, new = made.made_on(), self._episode.rows(rows)
        found = [
            self._change(place[0], old.get(place), new.get(place), written)
            for place, written in rows.items()
            if place in old or place in new
        ]
        self.changes = tuple(_by_key(found))

    def change_set(self, id: str, approved_by: Persona) -> ChangeSet:
        """The changes with whole rows, for the function that commits them."""
        name, keys = self._env.kind.people, dict.fromkeys((self.persona.id, approved_by.id))
        people = self._rest.edit(
            lambda world: tuple(
                (name, key, row) for key in keys if name for row in self._rows(world, name, key)
            )
        )
        rights = self._rights(self._tables[name]) if name else frozenset()
        return ChangeSet(id, self._content["task"], self.persona, approved_by, self.changes, people, rights)

    def _rights(self, people: Table) -> frozenset[str]:
        """The columns of the people's table on which rights rest: all if the rules are code."""
        policy = self._env.policy
        if isinstance(policy, AccessPolicy):
            ruled = policy.document.compared.get(people.name, set())
        else:
            ruled = set(people.columns if policy.digest else ())
        names = {name.lower() for name in ("active", key_column(policy, people), *ruled)}
        return frozenset(column for column in people.columns if column.lower() in names)

    def shown(self, reader: Persona) -> tuple[list[dict[str, Any]], bool]:
        """The changes as a reader may see them, and whether they are complete.

        Old cells need the right to read them in the unchanged world, new ones in the changed world.
        """
        hidden = [self._hidden(episode, reader) for episode in (self._rest, self._episode)]
        found, complete = [], True
        for change in self.changes:
            changed = set(change.changed)
            key = key_column(self._env.policy, self._tables[change.table])
            sides: list[dict[str, CellValue] | None] = []
            key_seen = False
            for cells, unreadable in zip((change.before, change.after), hidden, strict=True):
                seen = None if cells is None else self._seen(change, cells, unreadable)
                key_seen = key_seen or (seen is not None and key in seen)
                complete = complete and (
                    seen is None or cells is None or changed & cells.keys() <= seen.keys()
                )
                sides.append(
                    None if seen is None else {name: seen[name] for name in change.changed if name in seen}
                )
            found.append(
                {
                    "table": change.table,
                    "operation": change.operation,
                    "key": change.key if key_seen else None,
                    "before": sides[0],
                    "after": sides[1],
                }
            )
        return found, complete

    def _change(
        self,
        table: str,
        before: dict[str, CellValue] | None,
        after: dict[str, CellValue] | None,
        written: set[str],
    ) -> ProposedChange:
        operation: Operation = "delete" if after is None else "insert" if before is None else "update"
        key = (before or after or {}).get(key_column(self._env.policy, self._tables[table]))
        return ProposedChange(table, operation, key, before, after, frozenset(written))

    def _changed(self, world: apsw.Connection) -> list[tuple[str, CellValue]]:
        """The rows that have changed since the proposal."""
        found = []
        for name, key, row in self._content["rows"]:
            # By their texts, because to Python 1 is True.
            if json_text(to_jsonable_python(self._rows(world, name, key))) != json_text([row]):
                found.append((name, key))
        return found

    def _rows(self, world: apsw.Connection, name: str, key: CellValue) -> list[dict[str, CellValue]]:
        """The rows of a table with a key."""
        table = self._tables[name]
        by = f"WHERE {quoted(key_column(self._env.policy, table))} = ?"
        query = f"SELECT {columns_sql(table.columns)} FROM main.{quoted(name)} {by}"
        rows = world.execute(query, (key,))
        return [table.shown(dict(zip(table.columns, cells, strict=True))) for cells in rows]

    def _hidden(self, episode: Episode, reader: Persona) -> frozenset[str]:
        """The references, with and without private fields, that a reader may not read in this state."""
        asked = frozenset(
            each
            for reference in map(_reference, self.changes)
            if reference
            for each in (reference, private_part(reference))
        )
        return episode.edit(lambda world: self._env.policy.unreadable(reader, asked, world))

    def _seen(
        self, change: ProposedChange, cells: dict[str, CellValue], hidden: frozenset[str]
    ) -> dict[str, CellValue]:
        """The cells of a row that may be read; no rule can be asked about a row without a key."""
        policy, reference = self._env.policy, _reference(change)
        if reference in hidden or (not reference and policy.digest):
            return {}
        if private_part(reference) not in hidden:
            return cells
        private = policy.private_fields(change.table) if isinstance(policy, AccessPolicy) else tuple(cells)
        return {name: value for name, value in cells.items() if name not in private}


def _by_key(changes: Iterable[ProposedChange]) -> Iterator[ProposedChange]:
    """The changes, where a row that takes the key of a deleted one is an update of it."""
    every = list(changes)
    gone = {(each.table, each.key): each for each in every if each.operation == "delete"}
    new = {(each.table, each.key) for each in every if each.operation == "insert" and each.key is not None}
    new &= gone.keys()
    for each in every:
        place = each.table, each.key
        if place not in new or each.operation == "update":
            yield each
        elif each.after is not None:
            before = gone[place].before
            yield replace(each, operation="update", before=before, written=frozenset(each.after))


def _reference(change: ProposedChange) -> str:
    return "" if change.key is None else f"{change.table}/{change.key}"


class ProposedChanges(Sequence[ProposedChange]):
    """The rows that a program would change. The tables stay as they are until `commit` is called.

    Args:
        task: the text of the request.
    """

    def __init__(
        self, env: Environment, task: str, result: EpisodeResult, *, persona: Persona, now: datetime
    ) -> None:
        self._env, self._task, self._result = env, task, result
        self._persona, self._now = persona, now
        self._uncommitted = [True]  # an id that one thread takes is not free for another

    def commit(self, *, approved_by: str | int | None = None) -> Any:
        """Let the function of the environment (`@env.commit`) make the changes, once.

        The calls are made again before, on the rows and under the access rules of now.

        Args:
            approved_by: the id of the person who approves; None for the person who asked.

        Returns:
            The result of the function.

        Raises:
            InputError: the function is missing, the episode did not finish or changes nothing, the changes
                were committed before, the calls would make others now, a person is no longer active, or
                another person who approves may not read all the changes.
        """
        commit, status = self._env.kind.commit, self._result.status
        if commit is None:
            raise InputError("no function commits changes", where="@env.commit", hint="declare one")
        if status != "finished" or not self:
            raise InputError("there is nothing to commit", where="changes", hint=f"the episode is {status}")
        try:
            self._uncommitted.pop()
        except IndexError:
            hint = "ask for the task again"
            raise InputError("these changes were committed", where="changes", hint=hint) from None
        try:
            self._env.refresh(force=True)
            persona = self._env.persona(self._persona.id) if self._env.kind.people else self._persona
            approver = persona if approved_by is None else self._env.persona(approved_by)
            replayed = self._replayed(persona)
            if approver != persona and not replayed.shown(approver)[1]:
                message = f"{approver.id} may not read all that would change"
                raise InputError(message, where="approved_by", hint="name a person who may")
        except BaseException:
            self._uncommitted.append(True)
            raise
        try:
            return commit(replayed.change_set(secrets.token_hex(16), approver))
        except ToolError:  # a refusal, so that nothing was made
            self._uncommitted.append(True)
            raise

    def _replayed(self, persona: Persona) -> Replayed:
        try:
            return Replayed(self._env, self._content, persona)
        except StaleError as error:
            rows = ", ".join(f"{table}/{key}" for table, key in error.rows)
            message = f"changed since: {rows}" if rows else "the task would change something else now"
            raise InputError(message, where="changes", hint="ask for the task again") from None

    @cached_property
    def _content(self) -> dict[str, Any]:
        return content_of(self._task, self._now, self._result, self._env)

    @cached_property
    def _changes(self) -> tuple[ProposedChange, ...]:
        return self._replayed(self._persona).changes if self._result.outcome.proposed() else ()

    @overload
    def __getitem__(self, place: int) -> ProposedChange: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ProposedChange, ...]: ...
    def __getitem__(self, place: int | slice) -> ProposedChange | tuple[ProposedChange, ...]:
        return self._changes[place]

    def __len__(self) -> int:
        return len(self._changes)

    def __repr__(self) -> str:
        return f"ProposedChanges({self._result.outcome!r})"
