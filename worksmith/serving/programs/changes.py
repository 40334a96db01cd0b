"""From the outcome of an episode to changes that people may see, approve and commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from tools.access.engine import AccessPolicy
from tools.change_set import ChangeSet, ProposedChange
from tools.policy import PRIVATE
from tools.sqlite.schema import ROW, columns_sql, quoted

if TYPE_CHECKING:
    import apsw

    from tools.environment import Environment
    from tools.episode import Episode
    from tools.episode_result import EpisodeResult
    from tools.persona import Persona
    from tools.sqlite.cells import CellValue
    from tools.sqlite.outcome import RowChange
    from tools.sqlite.schema import Table
    from worksmith.serving.programs.proposals import Proposal


class StaleError(Exception):
    """The calls of a task no longer make the changes that were proposed."""


def content_of(task: str, result: EpisodeResult) -> dict[str, Any]:
    """What a proposal keeps of an episode that changed something."""
    calls = [
        {
            "tool": call.tool,
            "arguments": to_jsonable_python(call.arguments, fallback=str),
            "status": call.observation.status,
        }
        for call in result.calls
    ]
    return {"task": task, "calls": calls, "changes": result.outcome.to_json()}


class Replayed:
    """The changes of a proposal, made again by its calls under today's access rules.

    Raises:
        StaleError: the calls do not make these changes any more: rules, tables or tools are others.
    """

    def __init__(self, env: Environment, proposal: Proposal, persona: Persona) -> None:
        self._env, self._content, self.persona = env, proposal.content, persona
        self._episode = env.episode(persona=persona)
        self._rest = env.episode(persona=persona)
        for call in self._content["calls"]:
            # A call that the agent's own check refused was not made; it keeps its number.
            if call["status"] == "refused":
                self._episode.refuse(call["tool"], call["arguments"], "")
            else:
                self._episode.call(call["tool"], call["arguments"])
        self._rows = self._episode.outcome().changes
        made = to_jsonable_python([change.to_json() for change in self._rows])
        if made != self._content["changes"]:
            raise StaleError

    def changes(self) -> tuple[ProposedChange, ...]:
        """The changes with whole rows, for the function that commits them."""
        return tuple(self._whole(row) for row in self._rows)

    def change_set(self, proposal: Proposal, approved_by: Persona) -> ChangeSet:
        return ChangeSet(proposal.id, self._content["task"], self.persona, approved_by, self.changes())

    def shown(self, reader: Persona) -> tuple[list[dict[str, Any]], bool]:
        """The changes as a reader may see them, and whether they are complete.

        Old cells need the right to read them in the world at rest, new ones in the changed world.
        """
        found, complete = [], True
        for row, change in zip(self._rows, self.changes(), strict=True):
            before = self._seen(self._rest, reader, change, change.before)
            after = self._seen(self._episode, reader, change, change.after)
            cells = set(change.changed)
            complete = complete and all(
                seen is None or cells & whole.keys() <= seen.keys()
                for whole, seen in ((change.before or {}, before), (change.after or {}, after))
            )
            known = {**(before or {}), **(after or {})}
            key = key_column(self._env, row.table)
            found.append(
                {
                    "table": change.table,
                    "operation": change.operation,
                    "key": change.key if key in known else None,
                    "before": _only(before, cells),
                    "after": _only(after, cells),
                }
            )
        return found, complete

    def _whole(self, row: RowChange) -> ProposedChange:
        table = next(each for each in self._env.kind.tables if each.name == row.table)
        before = None if row.operation == "insert" else _row(self._rest, table, row.row)
        after = None if row.operation == "delete" else _row(self._episode, table, row.row)
        key = (before or after or {}).get(key_column(self._env, row.table))
        return ProposedChange(row.table, row.operation, key, before, after)

    def _seen(
        self, episode: Episode, reader: Persona, change: ProposedChange, cells: Mapping[str, CellValue] | None
    ) -> dict[str, CellValue] | None:
        """Those of a row's cells that a reader may read in an episode's state."""
        if cells is None:
            return None
        policy, reference = self._env.policy, f"{change.table}/{change.key}"
        asked = frozenset({reference, reference + PRIVATE})
        unreadable = episode.edit(lambda world: policy.unreadable(reader, asked, world))
        if reference in unreadable:
            return {}
        if reference + PRIVATE not in unreadable:
            return dict(cells)
        private = policy.private_fields(change.table) if isinstance(policy, AccessPolicy) else tuple(cells)
        return {name: value for name, value in cells.items() if name not in private}


def key_column(env: Environment, table: str) -> str:
    """The column by which access rules name a record."""
    policy = env.policy
    if isinstance(policy, AccessPolicy) and table in policy.document.sources:
        return policy.document.sources[table].key
    return next(each.columns[0] for each in env.kind.tables if each.name == table)


def _row(episode: Episode, table: Table, place: int) -> dict[str, CellValue]:
    def read(world: apsw.Connection) -> tuple[Any, ...]:
        query = f"SELECT {columns_sql(table.columns)} FROM main.{quoted(table.name)} WHERE {ROW} = ?"
        return world.execute(query, (place,)).fetchall()[0]

    return dict(table.shown(dict(zip(table.columns, episode.edit(read), strict=True))))


def _only(cells: Mapping[str, CellValue] | None, names: set[str]) -> dict[str, CellValue] | None:
    return None if cells is None else {name: value for name, value in cells.items() if name in names}
