"""Replies that cannot be read: their share with and without the constraint, in three forms of prompts.

The strategy act, uncompiled, on test tasks of the help desk, spread evenly. A reply that was cut off at the
limit of tokens counts as unreadable if it was of no use. It needs the extra `small`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from worksmith.tools.episode_result import UNREADABLE

NAME = "replies"
DESCRIPTION = "unreadable replies of local models with and without the constraint, in three forms of prompts"

MODELS = ("local/apprentice", "local/smollm2")

FORMS = ("text", "json", "compact")

_TOKENS, _STEPS, _TASKS, _QUICK = 128, 4, 7, 1
"""Tokens of a reply, steps of an episode, and tasks."""


def run(quick: bool) -> dict[str, Any]:
    """The replies of each model, form and setting."""
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(Path(folder) / "desk", _QUICK if quick else _TASKS, MODELS[: 1 if quick else None]))
    return {"tasks": len(rows) and rows[0]["tasks"], "rows": rows, "table": table(rows)}


def _rows(folder: Path, tasks: int, models: tuple[str, ...]) -> Any:
    import worksmith as ws
    from worksmith.jobs.project import new_project
    from worksmith.jobs.settings.suites import NewSettings

    new_project(NewSettings(folder=folder))
    suite = ws.Suite.open(folder)
    asked = suite.test[:: len(suite.test) // tasks][:tasks]
    for model in models:
        for form in FORMS:
            for constrained in ("off", "auto"):
                agent = ws.Agent("act", suite.env, prompt=form, max_steps=_STEPS)
                lm = f"{model} constrained={constrained} max_tokens={_TOKENS}"
                found = ws.evaluate(agent, asked, lm=lm, progress=False)
                asks = [ask for record in found.records for ask in record.asks]
                yield {
                    "model": model,
                    "form": form,
                    "constrained": constrained,
                    "tasks": len(asked),
                    "replies": len(asks),
                    "unreadable": sum(ask.reading == UNREADABLE for ask in asks),
                    "leniently": sum(ask.reading not in ("", UNREADABLE) for ask in asks),
                    "right": sum(record.scores.get("outcome", 0.0) for record in found.records),
                }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table in Markdown."""
    names = ("model", "form", "constrained", "replies", "unreadable", "leniently", "right", "tasks")
    lines = [names, ["---"] * len(names), *([f"{row[name]}" for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
