"""Does anything hidden change a prompt? Worlds that differ in what a reader may not read, compiled anew.

For each reader the cells of rows and the private fields that the reader may not read are varied: texts,
numbers, truth values, days, JSON, nulls, keys, and the attributes of persons. Tasks, readers and rules stay.
Then every optimizer compiles, and the program does tasks of the reader: each prompt has to be the same, byte
for byte.

Held fixed is what the reader may read, also where other cells decide on it. Tasks are their authors' text:
what they name and expect stays, whatever becomes of the cells. The teachers do each task in every world, and
the model that programs are chosen with looks at no record: a choice by scores depends on what is scored.

A second run shows demonstrations in which the values that one recognises are replaced, as one would do it at
first: it has to find differences, else the first run proves nothing.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from itertools import repeat
from multiprocessing import get_context
from operator import ne
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from benchmarks.soundness.interference.cells import (
    ASKED,
    RULES,
    World,
    hidden_values,
    made_tasks,
    made_world,
    opened,
    varied,
)
from worksmith.evals.dspy_programs.demo_format import NOTES, without_notes
from worksmith.tools.dispatch import as_text

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.suite import Suite
    from worksmith.optimizers.demos.demonstration import Call
    from worksmith.tools.kinds.own_data.environment import Environment

DESCRIPTION = "hidden cells of own data varied, every optimizer compiled anew: how many prompts differ"

_TOKEN = re.compile(r"[\w.@-]+")
_FIELD = re.compile(r"`\[\[ ## (\w+) ## \]\]`")

READERS = 20
_PROCESSES = 4
ROWS = 18
"""Of each table."""

_INSTRUCTING = ("dspy:COPRO", "dspy:MIPROv2", "dspy:InferRules", "dspy:SIMBA", "dspy:GEPA")


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
    Strategy("few shot", "dspy:BootstrapFewShot", "act", {"demos": 5}),
    Strategy("random search", "dspy:BootstrapFewShotWithRandomSearch", "act", {"demos": 4, "candidates": 2}),
    Strategy("labeled", "dspy:LabeledFewShot", "act", {"demos": 4}),
    Strategy("optuna", "dspy:BootstrapFewShotWithOptuna", "act", {"demos": 4, "candidates": 2}),
    *(
        Strategy(name.removeprefix("dspy:"), name, "act", {"demos": 4, "candidates": 2})
        for name in _INSTRUCTING
    ),
    Strategy("taught by a model", "knn", "react", {"accept": "best", "demos": 6, "curious": True}),
    Strategy("knn few shot", "dspy:KNNFewShot", "act", {"demos": 4}),
)
_QUICK = ("knn", "taught by a model")


def run(quick: bool) -> dict[str, Any]:
    """Compile and compare; then the same with demonstrations that only replace what they recognise."""
    strategies = [one for one in STRATEGIES if not quick or one.name in _QUICK]
    names = [f"p{number:02}" for number in range(1 if quick else READERS)]
    if quick:
        found = compared(names, 8, strategies)
    else:
        parts = [names[start::_PROCESSES] for start in range(_PROCESSES)]
        with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
            found = sum(pool.map(compared, parts, repeat(ROWS), repeat(strategies)), start=Counter())
    with recognising():
        weak = compared(names[:1], 8, strategies[:1])

    def counts(what: str) -> dict[str, int]:
        return {name: count for (each, name), count in found.items() if each == what}

    return {
        "readers": len(names),
        "optimizers": len(strategies),
        "varied_cells": sum(counts("varied").values()),
        "varied_by_type": counts("varied"),
        "prompts": found["prompts", ""],
        "prompts_with_made_up_demonstrations": counts("made up"),
        "hidden_values_in_prompts": found["hidden values", ""],
        "differences": found["different", ""],
        "differences_where_recognised_values_are_replaced": weak["different", ""],
    }


def compared(readers: Sequence[str], rows: int, strategies: Sequence[Strategy]) -> Counter[tuple[str, str]]:
    """What was varied for these readers, and how many of their prompts are different or tell."""
    from worksmith.evals.suite import Suite

    found, world = Counter[tuple[str, str]](), made_world(rows)
    with tempfile.TemporaryDirectory() as name:

        def again(other: World) -> Environment:
            return opened(other, Path(name))

        before, lines = again(world), made_tasks(world, readers)
        at_rest = {one.name: prompts(Suite(before, lines), one, readers) for one in strategies}
        for reader in readers:
            other, counted = varied(world, before, reader, again)
            found.update({("varied", kind): count for kind, count in counted.items()})
            after, secrets = Suite(again(other), lines), hidden_values(world, other)
            for one in strategies:
                mine, theirs = at_rest[one.name][reader], prompts(after, one, [reader])[reader]
                assert mine, "the reader was asked nothing"
                found["prompts", ""] += len(mine)
                found["hidden values", ""] += sum(len(secrets & set(_TOKEN.findall(each))) for each in mine)
                found["made up", one.name] += sum("are made up" in each for each in mine)
                found["different", ""] += sum(map(ne, mine, theirs)) + abs(len(mine) - len(theirs))
    return found


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
        given = {"status": "answered", "answer": ASKED} if shown else {"status": "denied", "answer": ""}
        if request.tools:
            said = lm15.Message.assistant([lm15.ToolCallPart("1", "finish", given)])
        else:
            fields: dict[str, Any] = {
                "thought": "-",
                "tool": "finish",
                "arguments": given,
                "plan": "1. finish",
            }
            fields["calls"] = [{"tool": "finish", "arguments": given}]
            asked = {
                name: value for name, value in fields.items() if f"[[ ## {name} ## ]]" in self.prompts[-1]
            }
            text = "\n\n".join(f"[[ ## {name} ## ]]\n{as_text(value)}" for name, value in asked.items())
            said = lm15.Message.assistant(text or json.dumps({"tool": "finish", "arguments": given}))
        reason = "tool_call" if request.tools else "stop"
        return lm15.Response(None, request.model, said, reason, lm15.Usage(1, 1, 2))


class _Proposer:
    """A model that proposes the same instructions whatever it is shown."""

    def complete(self, request: Any) -> Any:
        from dspy import lm15

        asked = _FIELD.findall(str(request.messages[-1].text))
        text = "\n\n".join(f"[[ ## {name} ## ]]\nDo the task well." for name in asked if name != "completed")
        said = lm15.Message.assistant(text or "```\nDo the task well.\n```")
        return lm15.Response(None, request.model, said, "stop", lm15.Usage(1, 1, 2))


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
    if strategy.optimizer in _INSTRUCTING:
        settings["proposer"] = model(_Proposer(), "proposer")
    engine = _Reader()
    with dspy.context(lm=model(engine, "reader")), redirect_stderr(StringIO()):
        optimizer = OPTIMIZERS[strategy.optimizer](workers=1, **settings)
        agent = Agent(strategy.agent, suite.env, prompt=strategy.prompt)
        better = optimizer.compile(agent, trainset=suite.train, valset=suite.dev)
        found: dict[str, list[str]] = {}
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

    def twins(calls: Mapping[str, Call], task: Any, env: Any, **_: Any) -> dict[str, Call]:
        secrets = sorted({*task.slots.values(), *_texts(env)}, key=len, reverse=True)
        return {
            name: call._replace(
                inputs={
                    **call.inputs,
                    NOTES: {**call.inputs[NOTES], "redacted": replaced(without_notes(call.fields), secrets)},
                }
            )
            for name, call in calls.items()
        }

    with patch("worksmith.optimizers.demos.collection.with_twins", twins):
        yield


def _texts(env: Environment) -> set[str]:
    rows = (
        row for name in RULES for row in env.world.rows(name, ("id", "title", "note", "owner", "department"))
    )
    return {cell for row in rows for cell in row.values() if isinstance(cell, str) and cell}
