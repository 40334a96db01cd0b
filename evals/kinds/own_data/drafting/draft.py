"""Drafts of tasks over the tables of an environment, each kept only if it holds when it is executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from worksmith.evals.authoring.checking.check import task_findings
from worksmith.evals.kinds.own_data.drafting.facts import facts_of
from worksmith.evals.kinds.own_data.drafting.recipes import Recipe, recipes_of
from worksmith.evals.kinds.own_data.drafting.templates import Drafter, Line
from worksmith.evals.kinds.own_data.project import project_environment
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.evals.task_kind import Drafting, scorers_for
from worksmith.evals.tasks.task import Task, same_text
from worksmith.retrievers.texts.words import folded
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.cells import cell_text

if TYPE_CHECKING:
    from pathlib import Path

    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona

Reword = Callable[[Sequence[Task]], Sequence[Task]]

_DENIALS = 8
"""One task of eight is about a denial, if the rules deny anything."""

_TRIES, _PERSONAS = 40, 3
"""So many rows of a recipe, and personas for each row, are tried for one more task."""


def draft_project(folder: Path, drafting: Drafting) -> list[Line]:
    """Drafts for the environment of the project in a folder, see `draft_tasks`."""
    return draft_tasks(project_environment(folder), drafting)


def draft_tasks(env: Environment, drafting: Drafting) -> list[Line]:
    """Lines of a task file, with gold plans that were executed as the personas of the tasks.

    Recipes and personas take turns. The same environment, count and seed give the same lines, apart from
    the queries that a model rewords.

    Raises:
        InputError: no tool can be drafted from.
    """
    lines = _drafts(env, drafting)
    return lines if drafting.reword is None else _reworded(env, lines, drafting.reword)


def _reworded(env: Environment, lines: Sequence[Line], reword: Reword) -> list[Line]:
    """The lines with other queries; each keeps the values that its plan needs."""
    tasks = reword(read_own_tasks(env, lines))
    return [{**line, "query": task.query} for line, task in zip(lines, tasks, strict=True)]


def _slots(line: Line) -> dict[str, str]:
    """The values of records in a query. All of them are arguments of the plan: templates name no others."""
    values = {name: cell_text(value) for step in line["plan"] for name, value in step["arguments"].items()}
    return {name: value for name, value in values.items() if folded(value) in folded(line["query"])}


def _drafts(env: Environment, drafting: Drafting) -> list[Line]:
    recipes = _recipes(env)
    if not recipes:
        raise InputError(
            "no tool has arguments that name columns of a table",
            hint="call the arguments of tools like the columns, such as ticket_id, status",
        )
    personas = [env.persona(name) for name in env.kind.persona_ids(env.world)] or [env.world.manifest.persona]
    drafter = Drafter(env, recipes)
    seed = drafting.seed
    sources = [_of_recipe(drafter, each, personas, seed, first) for first, each in enumerate(recipes)]
    scorers = scorers_for(env)
    kept: list[Line] = []
    asked: set[str] = set()
    denials = 0
    while sources and len(kept) < drafting.count:
        for source in list(sources):
            line = next(source, None)
            if line is None:
                sources.remove(source)
                continue
            # Asked once only, by any persona: of two, one could be in train and the other in test.
            query, denial = same_text(line["query"]), line.get("answer") == {"status": "denied"}
            if query in asked or (denial and denials * _DENIALS > len(kept)):
                continue
            (task,) = read_own_tasks(env, [line])
            if any(each.level != "note" for each in task_findings(env, scorers, task)):
                continue
            asked.add(query)
            denials += denial
            kept.append({"id": f"d{len(kept) + 1:03}", **line, "slots": _slots(line)})
            drafting.progress(len(kept))
            if len(kept) == drafting.count:
                break
    return kept


def _recipes(env: Environment) -> list[Recipe]:
    tools = [tool for kit in env.kind.toolkits for tool in kit.tools]
    tables = [facts for facts in facts_of(env) if facts.rows]
    return [recipe for facts in tables for tool in tools for recipe in recipes_of(tool, facts, tables)]


def _of_recipe(
    drafter: Drafter, recipe: Recipe, personas: Sequence[Persona], seed: int, first: int
) -> Iterator[Line]:
    """The drafts of a recipe, one a row, in its own order.

    Args:
        first: the index of the persona that begins.
    """
    draw = rng(seed, recipe.facts.name, recipe.id)
    rows = list(recipe.facts.rows)
    draw.shuffle(rows)
    fruitless = 0
    for number, row in enumerate(rows, start=first):
        found: list[Line] = []
        for turn in range(min(_PERSONAS, len(personas))):
            persona = personas[(number + turn) % len(personas)]
            found = list(drafter.drafts(recipe, row, persona, draw))
            if found:
                yield draw.choice(found)
                break
        fruitless = 0 if found else fruitless + 1
        if fruitless == _TRIES:
            return
