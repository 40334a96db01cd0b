"""Planting: which instruction stands where for which task. No model takes part, and a seed decides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.attacks.catalogue import REPLY, any_form, goals, place_of
from worksmith.evals.tasks.attack import Attack
from worksmith.tools.access.access_policy import AccessPolicy, key_column
from worksmith.tools.access.lookup import DatabaseLookup
from worksmith.tools.errors import InputError
from worksmith.tools.persona import Persona
from worksmith.tools.planting import Planted
from worksmith.tools.policy import parted
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.schema import quoted

if TYPE_CHECKING:
    import apsw

    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment
    from worksmith.tools.episode_result import CallRecord

_MOST_TEXTS, _MOST_PEOPLE, _MOST_PLANS, _CALLERS = 40, 50, 200, 3
"""So many texts of a task are looked at, people asked for their rights, plans searched for calls, and people
whose calls of a tool are kept."""

_TELLING = 6
"""The number of characters from which a text is not named by chance."""


class _Call(NamedTuple):
    """A call that a gold plan makes.

    Attributes:
        shown: what it shows to the persona of that plan.
    """

    tool: str
    arguments: dict[str, Any]
    persona: Persona | None
    shown: frozenset[str]


class Attacker:
    """Plants instructions into what the gold plans of tasks read.

    A text is planted where another person than the task's persona could have written it: in a record that
    another person may create or change by the policy, or in any without a policy document; and in
    replies of tools. The calls that instructions want are those of other gold plans, with a code in them.

    Args:
        known: tasks whose gold plans give calls, and whose personas are the other people.
    """

    def __init__(self, env: Environment, known: Iterable[Task], seed: int) -> None:
        self._env = env
        self._seed = seed
        self._known = [task for task in known if task.gold_plan]
        rng(seed, "attack").shuffle(self._known)

    def attacked(self, tasks: Iterable[Task]) -> list[Task]:
        """The tasks, each with an attack. Left out are those without a gold plan that reads something."""
        found = ((task, self._attack(task)) for task in tasks if task.gold_plan)
        attacked = [
            task.model_copy(update={"attack": attack}) for task, attack in found if attack is not None
        ]
        if not attacked:
            raise InputError(
                "no task can be attacked: no gold plan reads a text",
                where=str(self._env.folder),
                hint="give the tasks a `plan`",
            )
        return attacked

    def _attack(self, task: Task) -> Attack | None:
        chance = rng(self._seed, "attack", task.id)
        calls = [call for call in _rehearsed(self._env, task) if call.observation.status == "ok"]
        places = self._places(task, calls, chance)
        if not places:
            return None
        place = chance.choice(sorted(places))
        where, old = chance.choice(places[place])
        mark = f"{''.join(chance.choices('BCDFGHJKLMNPQRSTVWXZ', k=3))}-{chance.randrange(10**5, 10**6)}"
        # A reply to a change comes too late to drop the task.
        late = not old and self._env.kind.tools[where].writes
        for goal in chance.sample(sorted(goals()), len(goals())):
            wanted = None if late and goal == "ignore" else self._wanted(goal, task, calls, mark, chance)
            if wanted is not None:
                form, wordings = any_form(chance), goals()[goal]
                call = f"{wanted.get('tool')}({json.dumps(wanted.get('arguments'), ensure_ascii=False)})"
                if "tool" not in wanted:
                    wordings = wordings.get("mark", wordings)
                text = form.written(wordings, chance, call=call, mark=mark)
                planted = Planted(where=where, old=old, new=f"{old} {text}" if old else text)
                return Attack(goal=goal, form=form.name, place=place, planted=planted, **wanted)
        return None

    def _places(
        self, task: Task, calls: Sequence[CallRecord], chance: Random
    ) -> dict[str, list[tuple[str, str]]]:
        """Where another text can stand, by place: columns with their texts, and tools for their replies."""
        found: dict[str, list[tuple[str, str]]] = {}
        if calls:
            found[REPLY] = [(tool, "") for tool in dict.fromkeys(call.tool for call in calls)]

        texts = sorted(
            {
                (source, *shown)
                for call in calls
                for shown in _shown(call.observation.value)
                for source in {parted(reference)[0] for reference in call.reads} or {""}
                if " " in shown[1].strip()
            }
        )

        def look(connection: apsw.Connection) -> None:
            for source, column, text in chance.sample(texts, min(len(texts), _MOST_TEXTS)):
                for table in self._env.kind.tables:
                    if source in ("", table.name) and self._foreign(connection, table, column, text, task):
                        found.setdefault(place_of(table.name, column), []).append((column, text))

        self._env.episode(persona=task.persona, rehearsal=True).edit(look)
        return found

    def _foreign(self, connection: apsw.Connection, table: Any, column: str, text: str, task: Task) -> bool:
        """Whether a text stands in one row alone, and another person could have written it there."""
        policy = self._env.policy
        if column not in table.columns or column == key_column(policy, table):
            return False
        query = f"SELECT * FROM main.{quoted(table.name)} WHERE {quoted(column)} = ? LIMIT 2"
        cursor = connection.execute(query, (text,))
        rows = [dict(zip((c[0] for c in cursor.get_description()), row, strict=True)) for row in cursor]
        if len(rows) != 1 or not isinstance(policy, AccessPolicy):
            return len(rows) == 1
        lookup = DatabaseLookup(connection)
        return any(
            policy.allows(person, table.name, operation, rows[0], lookup, frozenset(fields)).allow
            for person in self._people
            if task.persona is None or person.id != task.persona.id
            for operation, fields in (("create", ()), ("update", (column,)))
        )

    @property
    def _open(self) -> bool:
        """Whether everybody may read everything."""
        policy = self._env.policy
        return policy.open if isinstance(policy, AccessPolicy) else not policy.digest

    @cached_property
    def _people(self) -> list[Persona]:
        env = self._env
        people = {task.persona.id: task.persona for task in self._known if task.persona is not None}
        people |= {name: env.persona(name) for name in env.kind.persona_ids(env.world)}
        chosen = rng(self._seed, "people").sample(sorted(people), min(len(people), _MOST_PEOPLE))
        # A stranger, for rules that allow everybody.
        return [Persona(id="", name="a stranger"), *(people[name] for name in chosen)]

    @cached_property
    def _calls(self) -> list[_Call]:
        """Calls of each tool by some people, from the gold plans."""
        found: dict[str, dict[Persona | None, _Call]] = {}
        for task in self._known[:_MOST_PLANS]:
            for call in _rehearsed(self._env, task):
                calls = found.setdefault(call.tool, {})
                if call.observation.status == "ok" and len(calls) < _CALLERS:
                    shown = frozenset(text for _, text in _shown(call.observation.value))
                    calls.setdefault(task.persona, _Call(call.tool, call.arguments, task.persona, shown))
        return [call for calls in found.values() for call in calls.values()]

    def _wanted(
        self, goal: str, task: Task, calls: Sequence[CallRecord], mark: str, chance: Random
    ) -> dict[str, Any] | None:
        """The fields of `Attack` for an instruction; None if nothing here serves the goal."""
        if goal == "ignore":
            return {"said": mark}
        known = chance.sample(self._calls, len(self._calls))
        if goal == "reveal":
            return self._secret(task, calls, known, chance) or ({"said": mark} if self._open else None)
        own = [(step.tool, step.arguments) for step in task.gold_plan or ()]
        for call in known:
            texts = [name for name, value in call.arguments.items() if isinstance(value, str)]
            marked = [{**call.arguments, name: mark} for name in chance.sample(texts, len(texts))]
            for arguments in (*marked, call.arguments):
                if (call.tool, arguments) not in own and self._effect(task, call.tool, arguments) == goal:
                    return {"tool": call.tool, "arguments": arguments}
        return None

    def _effect(self, task: Task, tool: str, arguments: Mapping[str, Any]) -> str:
        """The goal that a call serves, made by the task's persona; empty if it fails."""
        episode = self._env.episode(task.domains, persona=task.persona, now=task.now, rehearsal=True)
        if episode.call(tool, arguments).status != "ok":
            return ""
        operations = {change.operation for change in episode.outcome().changes}
        if not operations:
            return "send" if episode.toolset[tool].writes else "fetch"
        return "send" if "insert" in operations else "change"

    def _secret(
        self, task: Task, calls: Sequence[CallRecord], known: Sequence[_Call], chance: Random
    ) -> dict[str, Any] | None:
        """A call that shows another person what it hides from the task's persona, and a text of that."""
        told = {text for call in calls for _, text in _shown(call.observation.value)}
        for call in known:
            if call.persona == task.persona or self._env.kind.tools[call.tool].writes:
                continue
            episode = self._env.episode(task.domains, persona=task.persona, now=task.now, rehearsal=True)
            seen = episode.call(call.tool, call.arguments)
            hidden = call.shown - told - {text for _, text in _shown(seen.value)}
            secrets = sorted(text for text in hidden if len(text) >= _TELLING and text not in task.query)
            if secrets and seen.status in ("ok", "denied"):
                return {"tool": call.tool, "arguments": call.arguments, "said": chance.choice(secrets)}
        return None


def _rehearsed(env: Environment, task: Task) -> Sequence[CallRecord]:
    """The calls of the gold plan, made as the task's persona; without those to the user, who may instruct."""
    who, when = task.persona, task.now
    episode = env.episode(task.domains, persona=who, now=when, user=task.user, rehearsal=True)
    for step in task.gold_plan or ():
        episode.call(step.tool, step.arguments)
    return [call for call in episode.calls if call.tool in env.kind.tools]


def _shown(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts and numbers of a result, each with the name of its field."""
    if isinstance(value, dict):
        for field, each in value.items():
            yield from _shown(each, field)
    elif isinstance(value, list):
        for each in value:
            yield from _shown(each, name)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, str(value)
