"""Replies that cannot be read: their share with and without the constraint, by the form of prompts.

The strategy act, uncompiled, on the test tasks of the help desk. A reply that was cut off at the limit of
tokens counts as unreadable if it was of no use. Models of this machine only; they need the extra `small`.

`--work DIR` keeps what is finished. `--page` takes it over into `benchmarks/models/replies.jsonl`, and
writes its tables into `docs/results.md`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.models import APPRENTICE
from benchmarks.support.page import PAGE, between
from benchmarks.support.stages import At, Stage, Work, finished
from worksmith.evals.table import Grid
from worksmith.tools.files.atomic import write_atomically

DESCRIPTION = "unreadable replies of local models with and without the constraint, by the form of prompts"

_FORMS = ("text", "json", "compact", "native")

_TOKENS, _STEPS, _QUICK = 128, 4, 1
"""Tokens of a reply, steps of an episode, and tasks of the quick form."""

_ROWS = Path(__file__).parents[1] / "models" / "replies.jsonl"

_KEPT = ("model", "form", "constrained", "tasks", "replies", "unreadable", "leniently", "right")

Row = Mapping[str, Any]


def run(quick: bool, *, lm: str = APPRENTICE, work: Path | None = None, page: bool = False) -> dict[str, Any]:
    """The replies of a model in each form that it has, with and without the constraint.

    Args:
        quick: one task.
        lm: a model of this machine.
        work: the folder for what is finished; None for a temporary one.
        page: take over what is finished, of all models, and write the page; measure nothing.
    """
    if page:
        return _written(work)
    with Work.within(work, _stages(lm, quick)) as study:
        rows = [study.do(name) for name in study.stages]
    return {"rows": rows, "table": "\n".join(grid.markdown() for grid in _grids(rows))}


def kept() -> list[Row]:
    """The rows that are kept."""
    return [json.loads(line) for line in _ROWS.read_text().splitlines()]


def with_tables(page: str, rows: Sequence[Row]) -> str:
    """A page with the tables of rows between its marks."""
    return between(page, "replies", "\n".join(grid.markdown() for grid in _grids(rows)).rstrip())


def _written(work: Path | None) -> dict[str, Any]:
    known = {_place(row): row for row in kept()}
    found = [] if work is None else finished(work)
    known |= {_place(row): {name: row[name] for name in _KEPT} for row in found if not row["quick"]}
    rows = [known[place] for place in sorted(known)]
    write_atomically(_ROWS, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
    write_atomically(PAGE, with_tables(PAGE.read_text(), rows).encode())
    return {"rows": len(rows)}


def _place(row: Row) -> tuple[Any, ...]:
    return row["model"], _FORMS.index(row["form"]), row["constrained"] != "off"


def _stages(lm: str, quick: bool) -> Iterator[Stage]:
    from worksmith.models.resolve import resolve

    model = resolve(lm)
    for form in _FORMS[: None if model.supports_function_calling else -1]:
        for constrained in ("off", "auto"):
            settings = {"lm": lm, "form": form, "constrained": constrained, "quick": quick}
            yield Stage(
                f"{lm.replace('/', '-')}/{form}/{constrained}", _asked, {**settings, "digest": model.model}
            )


def _asked(at: At) -> dict[str, Any]:
    """The replies in one form, with or without the constraint."""
    import worksmith as ws
    from worksmith.jobs.project import new_project
    from worksmith.jobs.settings.suites import NewSettings
    from worksmith.tools.episode_result import UNREADABLE

    of = at.settings
    with tempfile.TemporaryDirectory() as folder:
        new_project(NewSettings(folder=Path(folder) / "desk"))
        suite = ws.Suite.open(Path(folder) / "desk")
        tasks = suite.test[: _QUICK if of["quick"] else None]
        agent = ws.Agent("act", suite.env, prompt=of["form"], max_steps=_STEPS)
        lm = f"{of['lm']} constrained={of['constrained']} max_tokens={_TOKENS}"
        found = ws.evaluate(agent, tasks, lm=lm, progress=False)
    asks = [ask for record in found.records for ask in record.asks]
    return {
        "model": of["lm"],
        **{name: of[name] for name in ("form", "constrained", "quick")},
        "tasks": len(tasks),
        "replies": len(asks),
        "unreadable": sum(ask.reading == UNREADABLE for ask in asks),
        "leniently": sum(ask.reading not in ("", UNREADABLE) for ask in asks),
        "right": sum(record.scores.get("outcome", 0.0) for record in found.records),
    }


def _grids(rows: Sequence[Row]) -> Iterator[Grid]:
    for model in dict.fromkeys(row["model"] for row in rows):
        yield Grid.of(
            f"Replies of `{model}`",
            [row for row in rows if row["model"] == model],
            ("form", lambda row: row["form"]),
            ("constrained", lambda row: row["constrained"]),
            ("replies", lambda row: str(row["replies"])),
            ("unreadable", lambda row: f"{row['unreadable']} ({_share(row):.0f} %)"),
            ("read leniently", lambda row: str(row["leniently"])),
            ("right tasks", lambda row: f"{row['right']:.0f} of {row['tasks']}"),
        )


def _share(row: Row) -> float:
    return float(100 * row["unreadable"] / max(1, row["replies"]))
