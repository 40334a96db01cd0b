"""Drafts of tasks from recipes. Each is a line of a task file, or None for a useless row."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from worksmith.evals.kinds.own_data.drafting.executed import Executed, execute
from worksmith.evals.kinds.own_data.drafting.facts import Row, quotable, words
from worksmith.evals.kinds.own_data.drafting.recipes import Recipe
from worksmith.tools.sqlite.cells import CellValue, cell_text

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona
    from worksmith.tools.sqlite.outcome import RowChange

Line = dict[str, Any]

_MOST_LISTED = 6

_PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "of", "on", "to", "until", "with"})


class Drafter:
    """Makes drafts over one environment.

    Args:
        recipes: all recipes; those that find a row by its name are used before a change.
    """

    def __init__(self, env: Environment, recipes: Iterable[Recipe]) -> None:
        self._env = env
        self._finders = _finders(recipes)

    def drafts(self, recipe: Recipe, row: Row, persona: Persona, draw: random.Random) -> Iterator[Line]:
        """The drafts that a recipe gives for a row and a persona; of a denied call, one about the denial."""
        if recipe.tool.writes:
            yield from self._changes(recipe, row, persona, draw)
        else:
            yield from self._questions(recipe, row, persona, draw)

    def _questions(self, recipe: Recipe, row: Row, persona: Persona, draw: random.Random) -> Iterator[Line]:
        arguments = recipe.of_row(row)
        if arguments is None:
            return
        facts = recipe.facts
        found = execute(self._env, persona, recipe.tool.name, arguments)
        column = next(iter(recipe.columns.values()))
        named = len(recipe.columns) == 1 and (column == facts.key or column in facts.naming)
        if found.status == "denied" and named:
            label = _label(recipe, row, column)
            other = next((c for c in facts.table.columns if c not in recipe.columns.values()), column)
            yield _line(
                f"What is the {_called(other)} of {label}?", recipe, arguments, persona, _DENIED, "denied"
            )
        if found.status != "ok":
            return
        if named:
            yield from self._lookups(recipe, row, arguments, persona, column, found, draw)
        elif len(recipe.columns) == 1 and column in facts.categories:
            yield from self._counts(recipe, row, arguments, persona, column, found)

    def _lookups(
        self,
        recipe: Recipe,
        row: Row,
        arguments: Line,
        persona: Persona,
        column: str,
        found: Executed,
        draw: random.Random,
    ) -> Iterator[Line]:
        shown = [each for each in found.records if each.get(column) == row[column]]
        if len(shown) != 1 or len(found.records) != 1:
            return
        asked = [
            c
            for c in recipe.facts.table.columns
            if c not in recipe.columns.values() and quotable(row[c]) and shown[0].get(c) == row[c]
        ]
        draw.shuffle(asked)
        for c in asked:
            label = _label(recipe, row, column)
            yes_or_no = isinstance(row[c], bool)
            query = f"Is {label} {words(c)}?" if yes_or_no else f"What is the {_called(c)} of {label}?"
            yield _line(
                query, recipe, arguments, persona, {"answer": row[c]}, f"{words(c)} of {recipe.facts.noun}"
            )

    def _counts(
        self, recipe: Recipe, row: Row, arguments: Line, persona: Persona, column: str, found: Executed
    ) -> Iterator[Line]:
        facts, value = recipe.facts, row[column]
        listed = [values for values in found.lists if values]
        keys = [each.get(facts.key) for each in found.records]
        if (not keys or None in keys) and len(listed) == 1:
            keys = list(listed[0])  # the result has the keys alone
        elif any(each.get(column) != value for each in found.records):
            return
        whole = {each[facts.key] for each in facts.rows if each[column] == value}
        # Fewer are right for a persona who may not read all; more or other ones are another thing.
        if not keys or None in keys or len(set(keys)) < len(keys) or not set(keys) <= whole:
            return
        about = f"{facts.nouns} with the {words(column)} {_quoted(value)}"
        yield _line(
            f"How many {about} are there?", recipe, arguments, persona, {"answer": len(keys)}, "count"
        )
        if len(keys) <= _MOST_LISTED:
            query = f"Which {about} are there? Name their {words(facts.key)}."
            yield _line(query, recipe, arguments, persona, {"answer": {"set": keys}}, "list")

    def _changes(self, recipe: Recipe, row: Row, persona: Persona, draw: random.Random) -> Iterator[Line]:
        facts, arguments = recipe.facts, recipe.of_others(row, draw)
        if not all(quotable(value) for value in arguments.values()):
            return
        found = execute(self._env, persona, recipe.tool.name, arguments)
        said = _said({name: value for name, value in arguments.items() if name != recipe.by_key})
        label = _label(recipe, row, facts.key) if recipe.by_key else f"a {facts.noun}"
        query = _request(recipe, label) + said
        if found.status == "denied" and recipe.by_key:
            yield _line(query, recipe, arguments, persona, _DENIED, "denied")
        if found.status != "ok" or len(found.changes) != 1 or found.changes[0].table != facts.name:
            return
        stated = _stated(recipe, row, found.changes[0])
        if stated is None:
            return
        expected = {"changes": {facts.name: stated}}
        line = _line(query, recipe, arguments, persona, expected, "")
        yield line
        finder = self._finders.get(facts.name)
        if recipe.by_key and finder is not None:
            by_name = finder.of_row(row) or {}
            (column,) = finder.columns.values()
            seen = execute(self._env, persona, finder.tool.name, by_name)
            if [each.get(facts.key) for each in seen.records] == [row[facts.key]]:
                named = _line(
                    _request(recipe, _label(recipe, row, column)) + said,
                    recipe,
                    arguments,
                    persona,
                    expected,
                    "",
                )
                change = {**named["plan"][0], "after": [0]}
                intent = f"{line['intent']} after {finder.id}"
                yield {**named, "intent": intent, "plan": [_step(finder, by_name), change]}


_DENIED: Mapping[str, Any] = {"answer": {"status": "denied"}}


def _finders(recipes: Iterable[Recipe]) -> dict[str, Recipe]:
    """By table a recipe that finds one row by a name."""
    found: dict[str, Recipe] = {}
    for recipe in recipes:
        column = next(iter(recipe.columns.values()))
        if not recipe.tool.writes and len(recipe.columns) == 1 and column in recipe.facts.naming:
            found.setdefault(recipe.facts.name, recipe)
    return found


def _stated(recipe: Recipe, row: Row, change: RowChange) -> Any:
    """The change as a task states it; None for one of another kind than the tool's arguments promise.

    Whether it is this row's change shows when the draft is executed as a task.
    """
    key = cell_text(row[recipe.facts.key])
    if recipe.by_key and change.operation == "update":
        return {key: dict(change.after)}
    if recipe.by_key and change.operation == "delete":
        return {key: None}
    if not recipe.by_key and change.operation == "insert":
        return [{column: change.after.get(column) for column in recipe.columns.values()}]
    return None


def _line(
    query: str,
    recipe: Recipe,
    arguments: Mapping[str, Any],
    persona: Persona,
    expected: Mapping[str, Any],
    kind: str,
) -> Line:
    intent = f"{kind} by {recipe.id}" if kind else recipe.id
    plan = [_step(recipe, arguments)]
    return {"query": query, "persona": persona.id, "intent": intent, **expected, "plan": plan}


def _step(recipe: Recipe, arguments: Mapping[str, Any]) -> dict[str, Any]:
    verb = "change" if recipe.tool.writes else "look up"
    why = f"I {verb} the {recipe.facts.noun}."
    return {"tool": recipe.tool.name, "arguments": dict(arguments), "why": why}


def _request(recipe: Recipe, label: str) -> str:
    """The tool's name as a request about a row: `Close ticket T-1` of `close_ticket`."""
    said, noun = words(recipe.tool.name.partition(".")[2]), recipe.facts.noun
    whole = re.compile(rf"\b{re.escape(noun)}s?\b")
    text = whole.sub(lambda _: label, said, count=1) if whole.search(said) else f"{said}: {label}"
    return text[:1].upper() + text[1:]


def _said(arguments: Mapping[str, Any]) -> str:
    """The arguments at the end of a request."""
    parts = [
        f"{words(name)} set to {cell_text(value)}"
        if isinstance(value, bool)
        else f"the {words(name)} {_quoted(value)}"
        for name, value in arguments.items()
    ]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
    return f" with {listed}." if listed else "."


def _label(recipe: Recipe, row: Row, column: str) -> str:
    """A row by the value of a column."""
    if column == recipe.facts.key:
        return f"{recipe.facts.noun} {cell_text(row[column])}"
    return f"the {recipe.facts.noun} with the {words(column)} {_quoted(row[column])}"


def _called(column: str) -> str:
    """A column in the middle of a question; in quotation marks if it does not read like a noun."""
    said = words(column)
    return f'"{said}"' if said.rpartition(" ")[2] in _PREPOSITIONS else said


def _quoted(value: CellValue) -> str:
    return f'"{value}"' if isinstance(value, str) else cell_text(value)
