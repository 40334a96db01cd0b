"""Does anything hidden change a prompt? Worlds that differ in what a reader may not read, compiled anew.

For each reader the cells of rows and the private fields that the reader may not read are varied: texts, numbers,
truth values, days, JSON, nulls, keys, and the persons' own attributes. Tasks, readers and rules stay the same.
Then every optimizer compiles, and the program does tasks of the reader: each prompt has to be the same, byte for
byte.

Held fixed are the things that decide whether a task can be done at all, which is no secret of a demonstration:
keys that a task names, and the cells by which the rules let the task's own persona work.

A second run shows demonstrations in which the values that one recognises are replaced, as one would do it at
first: it has to find differences, else the first run proves nothing.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from operator import ne
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from unittest.mock import patch

from worksmith.evals.dspy_programs.demo_format import without_notes
from worksmith.tools.dispatch import as_text
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.policy import private_part
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    import random

    import dspy

    from worksmith.evals.suite import Suite
    from worksmith.optimizers.demos.demonstration import LastCall
    from worksmith.tools.kinds.own_data.environment import Environment

NAME = "interference"
DESCRIPTION = "hidden cells of own data varied, every optimizer compiled anew: how many prompts differ"

READERS = 20
ROWS = 40
"""Of each table."""

_ASKED = "7"
"""The answer to all tasks that programs are chosen by: a model's replies do not depend on what is varied."""

Rows = list[dict[str, Any]]
World = dict[str, Rows]

Named = Literal["open_", "own", "same_", "crew", "grants", "ranked", "granted", "few", "codes"]
"""The tables that the tools work on: each has rules of another form."""

_RULES: Mapping[str, Any] = {
    "open_": {"always": True},
    "own": {"any": [{"self": "owner"}, {"self": ["owner", "deputy"]}]},
    "same_": {"same": "department"},
    "crew": {"any": [{"self": "owner"}, {"manages": "owner"}]},
    "grants": {"same": {"persona": "team", "record": "team"}},
    "ranked": {"any": [{"self": "owner"}, {"outranks": "owner"}]},
    "granted": {
        "any": [
            {"exists": {"source": "grants", "on": {"id": "record"}, "when": {"self": "owner"}}},
            {"may": {"operation": "read", "source": "same_", "on": {"id": "id"}}},
        ]
    },
    "few": {
        "all": [
            {"level": {"min": 3}},
            {"not": {"department": ["closed"]}},
            {"record": {"field": "status", "in": ["open", "late"]}},
        ]
    },
    "codes": {"all": [{"persona": {"field": "team", "in": ["t0", "t1"]}}, {"same": "department"}]},
}
_PRIVATE: Mapping[str, Any] = {
    "people": ({"any": [{"self": "id"}, {"manages": "id"}]}, ["salary", "clearance"]),
    "open_": ({"same": "department"}, ["amount", "urgent", "detail"]),
    "same_": ({"self": "owner"}, ["ratio", "note"]),
}
_OPERATIONS = ["read", "update", "create", "delete"]


class Strategy(NamedTuple):
    """An optimizer with settings, for an agent with a strategy."""

    name: str
    optimizer: str
    agent: str
    settings: Mapping[str, Any] = {}
    prompt: str = "auto"


STRATEGIES = (
    Strategy("knn", "knn", "act", {"accept": "best", "demos": 6}),
    Strategy("knn with thoughts", "knn", "react", {"accept": "best", "demos": 6, "demo_tokens": 900}),
    Strategy("knn by step", "knn", "act", {"accept": "best", "demos": 6, "demo_unit": "step"}),
    Strategy("mixture", "knn", "act", {"accept": "best", "demos": 8, "selection": "mixture"}, "compact"),
    Strategy("bootstrap", "bootstrap", "cot", {"accept": "best", "demos": 6, "candidates": 2}),
    Strategy("bootstrap, limited", "bootstrap", "function_calling", {"accept": "best", "demo_tokens": 500}),
    Strategy("race", "race", "direct", {"demos": 4, "candidates": 2}),
    Strategy("tpe", "tpe", "plan", {"accept": "best", "demos": 6, "candidates": 2}),
    Strategy("few shot", "dspy:BootstrapFewShot", "act", {"demos": 5}),
    Strategy("random search", "dspy:BootstrapFewShotWithRandomSearch", "act", {"demos": 4, "candidates": 2}),
    Strategy("taught by a model", "knn", "react", {"accept": "best", "demos": 6, "curious": True}),
    Strategy("knn few shot", "dspy:KNNFewShot", "act", {"demos": 4}),
)
_QUICK = ("knn", "taught by a model")


def run(quick: bool) -> dict[str, Any]:
    """Compile and compare; then the same with demonstrations that only replace what they recognise."""
    readers, rows = (2, 8) if quick else (READERS, ROWS)
    strategies = [one for one in STRATEGIES if not quick or one.name in _QUICK]
    started = time.perf_counter()
    found = _compared(readers, rows, strategies)
    with recognising():
        weak = _compared(1, 8, strategies[:1])
    return {
        "readers": readers,
        "optimizers": len(strategies),
        "varied_cells": sum(found.varied.values()),
        "varied_by_type": dict(found.varied),
        "prompts": found.prompts,
        "prompts_with_made_up_demonstrations": found.made_up,
        "differences": sum(found.differing.values()),
        "differences_by_optimizer": dict(found.differing),
        "differences_where_recognised_values_are_replaced": sum(weak.differing.values()),
        "seconds": round(time.perf_counter() - started, 1),
    }


class _Found:
    def __init__(self) -> None:
        self.varied: Counter[str] = Counter()
        self.differing: Counter[str] = Counter()
        self.prompts = 0
        self.made_up = 0


def _compared(readers: int, rows: int, strategies: Sequence[Strategy]) -> _Found:
    from worksmith.evals.suite import Suite

    found, world = _Found(), made_world(rows)
    with tempfile.TemporaryDirectory() as name:

        def again(other: World) -> Environment:
            return opened(other, Path(name))

        names = [f"p{number:02}" for number in range(readers)]
        before, lines = again(world), made_tasks(world, names)
        at_rest = {one.name: prompts(Suite(before, lines), one, names) for one in strategies}
        for number, reader in enumerate(names):
            other, counted = varied(world, before, reader, again, number)
            found.varied.update(counted)
            after = Suite(again(other), lines)
            for one in strategies:
                mine, theirs = at_rest[one.name][reader], prompts(after, one, [reader])[reader]
                assert mine, "the reader was asked nothing"
                found.prompts += len(mine)
                found.made_up += sum("are made up" in prompt for prompt in mine)
                found.differing[one.name] += sum(map(ne, mine, theirs)) + abs(len(mine) - len(theirs))
    return found


def made_world(rows: int) -> World:
    """People and one table for each form of rules, with columns of every type."""
    draw = rng(0, "interference")
    people = [
        {
            "id": f"p{at:02}",
            "name": f"Fn{_word(draw)} Ln{_word(draw)}",
            "email": f"{_word(draw)}@x.org",
            "department": f"d{at % 4}",
            "level": at % 5 + 1,
            "manager": None if at < 2 else f"p{at // 4:02}",
            "team": f"t{at % 3}",
            "active": True,
            "salary": draw.randint(1_000, 9_000),
            "clearance": draw.choice(("low", "high")),
        }
        for at in range(READERS + 4)
    ]
    tables = {}
    for table in _RULES:
        tables[table] = [_row(table, at, draw) for at in range(rows)]
    return {"people": people, **tables}


def _row(table: str, at: int, draw: random.Random) -> dict[str, Any]:
    owner, deputy = (draw.randrange(READERS) for _ in range(2))
    return {
        "id": _key(table, at),
        "owner": f"p{owner:02}",
        "deputy": f"p{deputy:02}",
        "department": f"d{draw.randrange(4)}",
        "team": f"t{draw.randrange(3)}",
        "status": draw.choice(("open", "late", "closed")),
        "record": _key("granted", draw.randrange(10)),
        **{column: make(draw) for column, make in _FREE.items()},
    }


def _key(table: str, at: int) -> str | int:
    """Keys of many kinds, also such as look like marks of references."""
    if table == "ranked":
        return 1_000 + at
    odd = {1: f"{table}-0#private", 2: f"{table}#private/0", 3: "*", 4: "@denied", 5: f"{table}/5"}
    return odd.get(at, f"{table}-{at}") if table == "codes" else f"{table}-{at}"


def _word(draw: random.Random) -> str:
    return "".join(draw.choice("bcdfghklmnprstvwz") + draw.choice("aeiou") for _ in range(draw.randint(2, 5)))


def _or_nothing(make: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
    return lambda draw: make(draw) if draw.random() < 0.8 else None


_FREE: Mapping[str, Callable[[Any], Any]] = {
    "title": _word,
    "note": _or_nothing(lambda draw: " ".join(_word(draw) for _ in range(draw.randint(1, 12)))),
    "amount": _or_nothing(lambda draw: draw.choice((draw.randint(1, 9), draw.randint(100_000, 999_999)))),
    "ratio": _or_nothing(lambda draw: draw.randint(1, 9_999) / 8),
    "urgent": _or_nothing(lambda draw: draw.random() < 0.5),
    "opened": _or_nothing(lambda draw: f"2025-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"),
    "detail": _or_nothing(
        lambda draw: json.dumps({_word(draw): draw.randint(1, 99), "ok": draw.random() < 0.5})
    ),
}
"""Columns that no rule looks at."""

_PERSONAL: Mapping[str, Callable[[Any], Any]] = {
    "name": lambda draw: f"Fn{_word(draw)} Ln{_word(draw)}",
    "email": _or_nothing(lambda draw: f"{_word(draw)}@y.org"),
    "salary": lambda draw: draw.randint(10, 99_999),
    "clearance": _or_nothing(lambda draw: draw.choice(("low", "high", "none"))),
}

_DECIDING: Mapping[str, Callable[[Any], Any]] = {
    "owner": lambda draw: f"p{draw.randrange(READERS):02}",
    "deputy": _or_nothing(lambda draw: f"p{draw.randrange(READERS):02}"),
    "department": lambda draw: f"d{draw.randrange(4)}",
    "team": lambda draw: f"t{draw.randrange(3)}",
    "status": lambda draw: draw.choice(("open", "late", "closed")),
    "level": lambda draw: draw.randint(1, 5),
    "active": lambda draw: draw.random() < 0.8,
    "record": lambda draw: _key("granted", draw.randrange(10)),
}
"""Columns that rules look at."""


def opened(world: World, folder: Path) -> Environment:
    """The environment over a world, with tools of every kind."""
    import worksmith as ws

    env = ws.Environment.from_tables(
        world,
        now="2026-01-05 09:00",
        personas="people",
        types={name: _types(name) for name in world},
    )
    rules = {
        name: {"rules": [{"id": f"R-{name}", "operations": _OPERATIONS, "when": when}]}
        for name, when in {**_RULES, "people": {"any": [{"self": "id"}, {"manages": "id"}]}}.items()
    }
    for name, (when, fields) in _PRIVATE.items():
        rules[name]["private"] = {"fields": fields, "rule": {"id": f"P-{name}", "when": when}}
    file = folder / "policy.json"
    file.write_text(json.dumps({"groups": {"closed": ["d9"]}, "sources": rules}))
    env.use_policy(file)
    for name in _RULES:
        env.index(name, text="{title} {note}")
    _declare(env)
    return env


def _types(table: str) -> dict[str, str]:
    if table == "people":
        return {"salary": "integer", "level": "integer", "active": "boolean"}
    return {"amount": "integer", "ratio": "real", "urgent": "boolean"}


def _declare(env: Environment) -> None:
    @env.tool(writes=False)
    def read(ctx: Context, table: Named, key: str) -> dict[str, Any]:
        """Read a record."""
        return ctx[table].get(key)

    @env.tool(writes=False)
    def tell(ctx: Context, table: Named, key: str) -> str:
        """Say what a record says."""
        row = ctx[table].get(key)
        return f"{row['title']} of {row['owner']}: {row['amount']}" + (", urgent" if row["urgent"] else "")

    @env.tool(writes=False)
    def find(ctx: Context, table: Named, status: str) -> list[dict[str, Any]]:
        """List records by status."""
        return ctx[table].find(status=status, order="title")

    @env.tool(writes=False)
    def count(ctx: Context, table: Named, status: str) -> int:
        """Count records by status."""
        return ctx[table].count(status=status)

    @env.tool(writes=False)
    def totals(ctx: Context, table: Named) -> dict[str, Any]:
        """The sum of the amounts of each owner."""
        rows = ctx.select(f"SELECT owner, sum(amount) AS total FROM {table} GROUP BY owner LIMIT 5")
        return {"owners": {str(row["owner"]): row["total"] for row in rows}}

    @env.tool(writes=False)
    def look_for(ctx: Context, table: Named, text: str) -> list[dict[str, Any]]:
        """Search records by their words."""
        return ctx[table].search(text, k=3)

    @env.tool(writes=False)
    def me(ctx: Context) -> dict[str, Any]:
        """Who is asking."""
        who = ctx.persona
        return {"email": who.email, "level": who.level, "managers": list(who.managers), **who.attributes}

    @env.tool
    def close(ctx: Context, table: Named, key: str, note: str) -> dict[str, Any]:
        """Close a record with a note."""
        ctx[table].update(key, status="closed", note=note)
        return ctx[table].get(key)

    @env.tool
    def add(ctx: Context, table: Named, title: str, owner: str, department: str) -> str:
        """Add a record."""
        key = ctx[table].insert({"title": title, "owner": owner, "department": department, "status": "open"})
        return f"{key} was added."


def made_tasks(world: World, readers: Sequence[str]) -> list[dict[str, Any]]:
    """Tasks for training in which everybody works on many records, and for each reader some to be asked."""
    draw, found = rng(0, "tasks"), []
    people = [person["id"] for person in world["people"]][:READERS]
    for table in _RULES:
        rows = world[table]
        for number, row in enumerate(rows[:6]):
            who, key = row["owner"], str(row["id"])
            read = {"table": table, "key": key}
            plan, answer, slots = [{"tool": "tools.read", "arguments": read}], str(row["title"]), {"key": key}
            query = f"What is the title of the record {key} of {table}?"
            if number == 1:
                plan.insert(0, {"tool": "tools.tell", "arguments": read})
            elif number == 2:
                plan.insert(0, {"tool": "tools.find", "arguments": {"table": table, "status": "open"}})
            elif number == 3:
                plan = [{"tool": "tools.count", "arguments": {"table": table, "status": "open"}}]
                query, answer = f"How many of {table} are open, apart from {key}?", "3"
            elif number == 4:
                plan = [
                    {"tool": "tools.totals", "arguments": {"table": table}},
                    {"tool": "tools.me", "arguments": {}},
                ]
                query, answer = f"Who in {table} has the record {key} and what am I?", str(row["amount"])
            elif number == 5:
                words = {"table": table, "text": str(row["title"])}
                plan = [{"tool": "tools.look_for", "arguments": words}]
                query, slots = f"Which record of {table} is called {row['title']}?", {"title": row["title"]}
            found.append(_task(f"train-{table}-{number}", "train", who, query, plan, answer, slots))
        closing = {"table": table, "key": str(rows[0]["id"]), "note": "solved"}
        query = f"Close {closing['key']} of {table} with the note solved."
        plan = [{"tool": "tools.close", "arguments": closing}]
        changing = _task(
            f"train-{table}-close", "train", rows[0]["owner"], query, plan, None, {"key": closing["key"]}
        )
        found.append(changing)
    for person in readers:
        for number in range(2):
            table = draw.choice(tuple(_RULES))
            query = f"What is the title of the record {table}-{number + 90} of {table}?"
            found.append(_task(f"test-{person}-{number}", "test", person, query, [], "none", {}))
    for number in range(4):
        table = tuple(_RULES)[number]
        found.append(
            _task(f"dev-{number}", "dev", people[number], f"How many records has {table}?", [], _ASKED, {})
        )
    return found


def _task(
    name: str, split: str, who: str, query: str, plan: Rows, answer: str | None, slots: Mapping[str, Any]
) -> dict[str, Any]:
    expected: dict[str, Any] = {"answer": answer} if answer is not None else {}
    return {
        "id": name,
        "split": split,
        "intent": name.rpartition("-")[2],
        "persona": who,
        "query": query,
        "slots": {name: str(value) for name, value in slots.items()},
        **({"plan": [{**step, "why": "This tells what is asked."} for step in plan]} if plan else {}),
        **expected,
    }


def readable(env: Environment, world: World, reader: str) -> frozenset[str]:
    """The references to what a reader may read, private parts apart."""
    references = frozenset(f"{table}/{row['id']}" for table, rows in world.items() for row in rows)
    references |= frozenset(map(private_part, references))
    return references - env.unreadable(env.persona(reader), references)


def varied(
    world: World, env: Environment, reader: str, again: Callable[[World], Environment], seed: int
) -> tuple[World, Counter[str]]:
    """The world with other cells where the reader may not read them, and how many there are by type.

    Cells that rules look at are changed table by table, as long as the reader may read the same as before.
    """
    draw = rng(seed, "varied", reader)
    seen, counted = readable(env, world, reader), Counter[str]()
    other = {table: [dict(row) for row in rows] for table, rows in world.items()}
    makers = {**_FREE, **_PERSONAL}
    for table, rows in other.items():
        private = _PRIVATE.get(table, (None, ()))[1]
        for at, row in enumerate(rows):
            reference = f"{table}/{row['id']}"
            hidden = makers if reference not in seen else () if private_part(reference) in seen else private
            for column in (name for name in hidden if name in row):
                _change(row, column, makers[column](draw), counted)
            if reference not in seen and table != "people":
                _change(
                    row, "id", 50_000 + at if table == "ranked" else f"{table}-other-{seed}-{at}", counted
                )
    for table in world:
        tried, deciding = {**other, table: [dict(row) for row in other[table]]}, Counter[str]()
        for old, row in zip(world[table], tried[table], strict=True):
            if f"{table}/{old['id']}" not in seen:
                for column in (name for name in _DECIDING if name in row):
                    _change(row, column, _DECIDING[column](draw), deciding)
        if readable(again(tried), tried, reader) == seen:
            other, counted = tried, counted + deciding
    return other, counted


def _change(row: dict[str, Any], column: str, value: Any, counted: Counter[str]) -> None:
    if row[column] != value:
        counted["null" if None in (value, row[column]) else type(value).__name__] += 1
        row[column] = value


class _Reader:
    """A model that answers at once, better if it is shown demonstrations, and keeps its prompts."""

    supports_function_calling = True

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def complete(self, request: Any) -> Any:
        from dspy import lm15

        parts = [part for message in request.messages for part in message.parts]
        self.prompts.append("\n".join([str(request.system or ""), *map(str, parts)]))
        shown = self.prompts[-1].count("Working for: ") > 1
        given = {"status": "answered", "answer": _ASKED} if shown else {"status": "denied", "answer": ""}
        if request.tools:
            said = lm15.Message.assistant([lm15.ToolCallPart("1", "finish", given)])
        else:
            fields = {"thought": "-", "tool": "finish", "arguments": given, "plan": "1. finish"}
            fields["calls"] = [{"tool": "finish", "arguments": given}]
            asked = {
                name: value for name, value in fields.items() if f"[[ ## {name} ## ]]" in self.prompts[-1]
            }
            text = "\n\n".join(f"[[ ## {name} ## ]]\n{as_text(value)}" for name, value in asked.items())
            said = lm15.Message.assistant(text or json.dumps({"tool": "finish", "arguments": given}))
        reason = "tool_call" if request.tools else "stop"
        return lm15.Response(None, request.model, said, reason, lm15.Usage(1, 1, 2))


class _Curious:
    """A teacher that follows gold plans, and calls once more if what it has read makes it."""

    own_format = supports_function_calling = True

    def __init__(self, gold: Any) -> None:
        self._gold = gold

    def complete(self, request: Any) -> Any:
        from dspy import lm15

        said = self._gold.complete(request)
        seen = [step["observation"] for step in request.data.steps if "observation" in step]
        if len(seen) == 1 and len(seen[0]) % 2:
            fields = {"thought": f"I see {seen[0]}", "tool": "tools.me", "arguments": "{}"}
            text = "\n\n".join(f"[[ ## {n} ## ]]\n{v}" for n, v in fields.items() if n in request.data.asked)
            said = lm15.Response(
                None, request.model, lm15.Message.assistant(text), "stop", lm15.Usage(1, 1, 2)
            )
        return said


def prompts(suite: Suite, strategy: Strategy, readers: Sequence[str]) -> dict[str, list[str]]:
    """The prompts of each reader's own tasks, by a program that is compiled for all."""
    import dspy

    from worksmith.optimizers.registry import OPTIMIZERS
    from worksmith.programs.agent import Agent
    from worksmith.programs.replaying.scripted import GoldEngine

    def model(engine: Any, name: str) -> dspy.LM:
        return dspy.LM(f"benchmark/{name}", engine=engine, cache=False, num_retries=0)

    settings = dict(strategy.settings)
    if settings.pop("curious", False):
        settings["teacher"] = model(_Curious(GoldEngine(suite.select(split="train"))), "curious")
    engine = _Reader()
    with dspy.context(lm=model(engine, "reader")), redirect_stderr(StringIO()):
        optimizer = OPTIMIZERS[strategy.optimizer](workers=1, **settings)
        agent = Agent(strategy.agent, suite.env, prompt=strategy.prompt)
        better = optimizer.compile(agent, trainset=suite.train, valset=suite.dev)
        found = {}
        for reader in readers:
            engine.prompts = found[reader] = []
            for task in suite.select(split="test"):
                if task.persona is not None and task.persona.id == reader:
                    better(task=task)
    return found


@contextmanager
def recognising() -> Iterator[None]:
    """Twins as one would make them at first: what is a text of a record is replaced, and nothing else."""

    def replaced(value: Any, secrets: Sequence[str]) -> Any:
        if isinstance(value, Mapping):
            return {name: replaced(item, secrets) for name, item in value.items()}
        if isinstance(value, list):
            return [replaced(item, secrets) for item in value]
        for secret in secrets if isinstance(value, str) else ():
            value = value.replace(secret, "made up")
        return value

    def twins(calls: Mapping[str, LastCall], task: Any, env: Any, **_: Any) -> dict[str, LastCall]:
        secrets = sorted({*task.slots.values(), *_texts(env)}, key=len, reverse=True)
        return {
            name: call._replace(
                inputs={**call.inputs, "redacted": replaced(without_notes(call.fields), secrets)}
            )
            for name, call in calls.items()
        }

    with patch("worksmith.optimizers.demos.collection.with_twins", twins):
        yield


def _texts(env: Environment) -> set[str]:
    rows = (
        row for name in _RULES for row in env.world.rows(name, ("id", "title", "note", "owner", "department"))
    )
    return {cell for row in rows for cell in row.values() if isinstance(cell, str) and cell}
