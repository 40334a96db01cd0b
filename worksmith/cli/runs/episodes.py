"""`worksmith episodes`: the episodes behind a figure of a report, and each of them in full."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import JsonFlag, RunsArgument, TrackingUriOption

if TYPE_CHECKING:
    from evals.reporting.episodes import ShownEpisode


def list_episodes(
    runs: RunsArgument,
    arm: Annotated[list[str] | None, typer.Option(help="Of this program only; repeatable.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE",
            help="domain, actions, area, type, difficulty, intent, status, fault, task or trial; repeatable.",
        ),
    ] = None,
    domain: Annotated[str | None, typer.Option(help="Short for --where domain=...")] = None,
    fault: Annotated[str | None, typer.Option(help="Short for --where fault=...")] = None,
    verdict: Annotated[
        str,
        typer.Option(
            "--verdict",
            help="right, wrong or lost (to the infrastructure).",
            autocompletion=lambda: ["right", "wrong", "lost"],
            show_default="any",
        ),
    ] = "",
    wrong: Annotated[bool, typer.Option("--wrong", help="Short for --verdict wrong.")] = False,
    text: Annotated[str, typer.Option(help="In the query, a call or the answer.", show_default="any")] = "",
    metric: Annotated[
        str, typer.Option(help="Whose value is shown: a score, a cost, error_rate, fault/NAME, status/NAME.")
    ] = "outcome",
    show: Annotated[
        str | None, typer.Option(metavar="ID", help="Print one episode in full, by its id or task.")
    ] = None,
    suite: Annotated[Path | None, typer.Option(help="Suite of published predictions.")] = None,
    tracking_uri: TrackingUriOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List the episodes behind a figure of a report with what each adds to it, or print one in full."""
    from evals.reporting.episodes import FIELDS, Selection, facet_names, find_episode
    from evals.reporting.plain import episode_text
    from evals.reporting.study import episodes_of
    from evals.suite import Suite
    from evals.tasks.task_filter import conditions
    from evals.tracking.run_loading import open_runs

    opened = open_runs(runs, tracking_uri=tracking_uri, suite=Suite.open(suite) if suite else None)
    short = {"domain": domain, "fault": fault}
    wanted = [*(where or ()), *(f"{name}={value}" for name, value in short.items() if value is not None)]
    _check_arms(arm or (), [run.card.label for run in opened])
    chosen = conditions(wanted)
    facets = facet_names(record for run in opened for record in run.records)
    for condition in chosen:
        condition.check([*FIELDS, *facets])
    selection = Selection(tuple(arm or ()), chosen, "wrong" if wrong else _verdict(verdict), text)
    episodes = selection(episodes_of(opened))
    if show is None:
        _list(episodes, metric, as_json)
        return
    found = find_episode(episodes, show)
    typer.echo(found.record.model_dump_json() if as_json else episode_text(found), nl=as_json)


def _verdict(name: str) -> str:
    from tools.errors import InputError

    if name not in ("", "right", "wrong", "lost"):
        raise InputError(f"no verdict {name!r}", where="--verdict", hint="there are right, wrong, lost")
    return name


def _check_arms(arms: Sequence[str], labels: Sequence[str]) -> None:
    from tools.errors import InputError

    for arm in arms:
        if arm not in labels:
            raise InputError(f"no program {arm!r}", where="--arm", hint=f"there are {', '.join(labels)}")


def _list(episodes: Sequence[ShownEpisode], metric: str, as_json: bool) -> None:
    from evals.records.summary import COSTS
    from evals.reporting.figures import metric_mean, metric_values
    from tools.errors import InputError

    records = [episode.record for episode in episodes]
    values = {id(record): value for record, value in metric_values(records, metric)}
    if not values and any(record.graded for record in records):
        known = sorted({name for record in records for name in record.scores} | set(COSTS))
        hint = f"there are {', '.join(known)}, error_rate, fault/NAME, status/NAME"
        raise InputError(f"no episode has a value of {metric!r}", where="--metric", hint=hint)
    mean = metric_mean(records, metric)
    rows = [
        {
            "id": episode.record.key,
            "arm": episode.arm,
            "task": episode.record.task_id,
            "trial": episode.record.trial,
            "status": episode.record.status,
            "fault": episode.record.fault.kind if episode.record.fault else None,
            metric: values.get(id(episode.record)),
        }
        for episode in episodes
    ]
    if as_json:
        typer.echo(json.dumps({"metric": metric, "mean": mean, "counted": len(values), "episodes": rows}))
        return
    _show(rows, metric, mean, len(values))


def _show(rows: Sequence[dict[str, Any]], metric: str, mean: float | None, counted: int) -> None:
    from rich.console import Console

    from evals.reporting.episodes import SHORT_KEY
    from evals.table import NO_DATA, Grid

    def cell(value: Any) -> str:
        return NO_DATA if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    names = ("task", "trial", "status", "fault", metric)
    several = len({row["arm"] for row in rows}) > 1
    shown = ("arm", *names) if several else names
    cells = tuple((row["id"][:SHORT_KEY], *(cell(row[name]) for name in shown)) for row in rows)
    said = "" if mean is None else f"; the mean of {metric} over {counted} is {mean:.6g}"
    title = f"{len(rows)} episode{'' if len(rows) == 1 else 's'}{said}"
    Console().print(Grid(title, ("id", *shown), cells).rich() if rows else title)
