"""Tokens of prompts, full and compact, in four worlds.

The strategy act does test tasks by gold plans, so both formats have the same steps. Tokens are those of
SmolLM2 with its chat template or, without its package, a quarter of the characters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import dspy

from worksmith.evals.building import build_suite
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError

DESCRIPTION = "tokens of full and of compact prompts in four worlds"

_SCALES = {"office": 1.0, "enterprise": 0.1, "crm": 0.1}
_WORLDS = (*_SCALES, "own_data")
_TASKS, _QUICK = 12, 2

Chat = list[dict[str, str]]


def run(quick: bool) -> dict[str, Any]:
    """The figures of each world."""
    count, by = _counter()
    figures = {}
    for world in _WORLDS[-1:] if quick else _WORLDS:
        with tempfile.TemporaryDirectory() as folder:
            suite = _suite(world, Path(folder) / world)
            tasks = [task for task in suite.select(split="test") if task.gold_plan]
            shown = tasks[:: max(1, len(tasks) // _TASKS)][: _QUICK if quick else _TASKS]
            figures[world] = {form: _figures(suite, shown, form, count) for form in ("text", "compact")}
    return {"tokens": by, "worlds": figures}


def _suite(world: str, folder: Path) -> Suite:
    if world in _SCALES:
        return build_suite(world, folder, scale=_SCALES[world])
    from worksmith.jobs.project import new_project
    from worksmith.jobs.settings.suites import NewSettings

    new_project(NewSettings(folder=folder))
    return Suite.open(folder)


def _figures(suite: Suite, tasks: Sequence[Any], form: str, count: Callable[[Chat], int]) -> dict[str, Any]:
    from worksmith.models.resolve import resolve
    from worksmith.programs.agent import Agent

    agent = Agent("act", suite.env, toolset="all", prompt=form)
    prompts: list[list[int]] = []
    with dspy.context(lm=resolve("gold", tasks=suite.tasks)):
        for task in tasks:
            prompts.append([count(chat) for chat in _chats(agent(task=task).episode.asks)])
    every = [tokens for episode in prompts for tokens in episode]
    return {
        "tasks": len(prompts),
        "first": round(mean(episode[0] for episode in prompts)),
        "mean": round(mean(every)),
        "longest": max(every),
        "an_episode": round(mean(map(sum, prompts))),
    }


def _chats(asks: Sequence[Any]) -> list[Chat]:
    """The prompt of each question."""
    sent: Chat = []
    found = []
    for ask in asks:
        new = [{"role": each.role, "content": each.text} for each in ask.exchange.messages]
        sent = [*sent[: ask.exchange.repeated], *new]
        found.append(sent)
    return found


def _counter() -> tuple[Callable[[Chat], int], str]:
    from worksmith.models.transformer.smollm2 import smollm2_weights

    try:
        folder = smollm2_weights()
    except InputError:
        return lambda chat: sum(len(each["content"]) for each in chat) // 4, "a quarter of the characters"
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def count(chat: Chat) -> int:
        return len(tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False))

    return count, "SmolLM2"
