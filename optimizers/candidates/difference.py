"""The difference between a program as it is and a candidate, for readers."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

from worksmith.evals.characters import harmless
from worksmith.evals.dspy_programs.nearest import NearestPredict
from worksmith.evals.dspy_programs.program_state import temperatures
from worksmith.optimizers.candidates.building import configurable
from worksmith.optimizers.candidates.candidate import DEMONSTRATIONS, MODELS_OWN, SETTINGS, Candidate, Demos

if TYPE_CHECKING:
    import dspy


def difference(candidate: Candidate, program: dspy.Module) -> str:
    """The changes of a candidate in a program, one line or paragraph a part; empty without changes.

        instructions of selector.predict:
          -Do the task.
          +Do the task. Read the ticket first.
        demonstrations: none -> the 4 nearest of 18
        prompt: auto -> json

    Raises:
        InputError: the program lacks the settings, since it is not an agent.
    """
    lines = [*_texts(candidate, program), *_demonstrations(candidate, program), *_values(candidate, program)]
    return harmless("\n".join(lines))


def _texts(candidate: Candidate, program: dspy.Module) -> Iterator[str]:
    """The changes of instructions and of descriptions of tools."""
    signatures = {name: each.signature for name, each in program.named_predictors()}
    for name, text in candidate.instructions.items():
        now = signatures[name].instructions if name in signatures else ""
        yield from _changed(f"instructions of {name}", now, text)
    agent = configurable(candidate, program)
    tools = agent.shown_tools if agent is not None else {}
    for name, told in candidate.tools.items():
        tool = tools.get(name)
        if told.description is not None:
            yield from _changed(f"description of {name}", tool.summary if tool else "", told.description)
        for argument, text in told.arguments.items():
            now = tool.argument_notes.get(argument, "") if tool else ""
            yield from _changed(f"argument {argument} of {name}", now, text)


def _changed(title: str, now: str, then: str) -> Iterator[str]:
    lines = islice(unified_diff(now.splitlines(), then.splitlines(), n=1, lineterm=""), 2, None)
    if changed := [f"  {line}" for line in lines if not line.startswith("@@")]:
        yield f"{title}:"
        yield from changed


def _demonstrations(candidate: Candidate, program: dspy.Module) -> Iterator[str]:
    predictors = dict(program.named_predictors())
    found = {
        name: f"{_shown(predictors[name]) if name in predictors else 'none'} -> {_said(demos)}"
        for name, demos in candidate.demonstrations.items()
    }
    if len(set(found.values())) == 1:
        yield f"{DEMONSTRATIONS}: {next(iter(found.values()))}"
    else:
        yield from (f"{DEMONSTRATIONS} of {name}: {change}" for name, change in found.items())


def _shown(predictor: dspy.Predict) -> str:
    """The demonstrations that a predictor shows now."""
    if not isinstance(predictor, NearestPredict):
        return _words(len(predictor.demos))
    fixed = predictor.nearest.fixed
    return _words(fixed, predictor.nearest.count, str(len(predictor.demos) - fixed))


def _said(demos: Demos) -> str:
    if demos.show != "nearest":
        return _words(len(demos.tasks))
    return _words(len(demos.always), demos.count, str(len(demos.tasks) or "the bank"))


def _words(fixed: int, nearest: int = 0, of: str = "") -> str:
    parts = [f"{fixed} fixed"] if fixed else []
    return " and ".join([*parts, *([f"the {nearest} nearest of {of}"] if nearest else [])]) or "none"


def _values(candidate: Candidate, program: dspy.Module) -> Iterator[str]:
    """The changes of settings that are one word or number."""
    agent = configurable(candidate, program)
    for name in SETTINGS:
        value = getattr(candidate, name)
        if agent is not None and value is not None:
            now = agent.config[name]
            yield f"{name}: {now['name'] if isinstance(now, dict) else now} -> {value}"
    if candidate.temperature is not None:
        own, models = sorted(set(temperatures(program).values())), "that of the model"
        then = models if candidate.temperature == MODELS_OWN else candidate.temperature
        yield f"temperature: {', '.join(map(str, own)) or models} -> {then}"
