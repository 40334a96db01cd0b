"""What `worksmith compile` says: before, what it would take; after, what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from worksmith.cli.options import say

if TYPE_CHECKING:
    from optimizers.compiling.artifact import Artifact, Manifest
    from optimizers.compiling.compile import Result
    from optimizers.compiling.plan import Plan
    from optimizers.demos.trace_bank import Gap
    from worksmith.jobs.forecast import Forecast


_SHOWN = ("name", "outcome", "errors", "race", "broken")
"""What is said of a trial."""


def forecast(plan: Plan, *, aa: bool, sample: int | None = None) -> dict[str, Any]:
    """What a compile, or the A/A check in its place, would take: at most, and as a rehearsal shows it.

    Args:
        sample: episodes of each program in which paid models are asked.
    """
    from optimizers.compiling.claims import intents_in
    from optimizers.search.aa import max_episodes as max_aa_episodes

    job = plan.context()
    episodes = max_aa_episodes(job) if aa else plan.max_episodes()
    lengths = [len(task.gold_plan) + 1 for task in (*job.train, *job.dev) if task.gold_plan is not None]
    steps = sum(lengths) / len(lengths) if lengths else None
    stepwise = plan.program.strategy.stepwise
    calls = {
        role: None if steps is None else round(count * (steps if stepwise else 1))
        for role, count in episodes.items()
    }
    proposer = None if aa else plan.proposing_model()
    return {
        "optimizer": "A/A check" if aa else plan.optimizer,
        "lm": plan.lm.name,
        "teacher": plan.teacher.name,
        **({"proposer": proposer.name} if proposer else {}),
        "train_tasks": len(job.train),
        "dev_tasks": len(job.dev),
        "dev_intents": intents_in(job.dev),
        "episodes_at_most": episodes,
        **({"too_few_intents": said} if (said := few_intents(plan, aa=aa)) else {}),
        # An agent that does a task in other steps than its gold plan needs other calls.
        "model_calls_about": calls,
        **({"proposer_calls_at_most": plan.max_proposals()} if proposer else {}),
        **({} if aa else {"forecast": _rehearsal(plan, sample)}),
    }


def few_intents(plan: Plan, *, aa: bool) -> str:
    """What to say where dev has too few intents for any claim; empty where it has enough.

    Args:
        aa: whether a race is checked and nothing compiled.
    """
    from optimizers.compiling.claims import too_few_intents

    return too_few_intents("race" if aa else plan.optimizer, plan.settings, plan.context().dev)


def race_finds(plan: Plan, result: Result) -> dict[str, Any]:
    """What the race could have shown, where it showed no difference; empty elsewhere."""
    from optimizers.compiling.claims import power_left

    compiled = result.compiled
    raced = {trial.name: trial.race for trial in compiled.trials if trial.race}
    if compiled.chosen not in raced or "verdict" not in raced[compiled.chosen]:
        return {}
    left = power_left(compiled.trials, plan.settings, plan.context().dev)
    return {"power": left} if left else {}


def _rehearsal(plan: Plan, sample: int | None) -> dict[str, Any] | None:
    from worksmith.jobs.forecast import forecast_of, sample_at_most

    if sample is not None and (cost := sample_at_most(plan, sample)):
        say(f"the sample takes {cost} at most, by guess")
    found = forecast_of(plan, sample)
    if found is None:
        say("nothing can be said of what it takes: the suite has no gold plans; --sample N asks the models")
        return None
    if not found.measured:
        say("the forecast is not measured: no paid model was asked; --sample N asks them")
    return {**found.to_json(), **_reached(plan, found)}


def _reached(plan: Plan, found: Forecast) -> dict[str, Any]:
    """The limits that the budget will probably reach, if there is one."""
    if plan.budget is None:
        return {}
    spent, minutes = found.expected or found.at_most, found.minutes or 0.0
    will = {
        "max_calls": spent.calls,
        "max_tokens": spent.tokens,
        "max_usd": spent.usd,
        "max_minutes": minutes,
    }
    return {"reaches": [name for name, limit in plan.budget.limits.given.items() if will[name] > limit]}


def summary(out: Path, artifact: Artifact, gaps: Sequence[Gap] = ()) -> dict[str, Any]:
    """What a compile came to; with `gaps`, task by task why it gave no demonstration."""
    manifest = artifact.manifest
    return {
        "file": str(out),
        "digest": artifact.digest,
        "optimizer": manifest.optimizer,
        "lm": manifest.lm,
        "teacher": manifest.teacher,
        "demonstrations": len(manifest.demonstrations),
        "from_gold_plans": manifest.gold,
        "without_demonstration": manifest.gaps,
        **({"gaps": [gap.model_dump(mode="json") | {"kind": gap.kind} for gap in gaps]} if gaps else {}),
        **({"bank": manifest.bank} if manifest.bank else {}),
        "dev": [{key: t[key] for key in _SHOWN if key in t} for t in manifest.trials],
        "chosen": manifest.chosen,
        **({"acceptance": manifest.acceptance} if manifest.acceptance else {}),
        **({"stopped": manifest.stopped, "undone": manifest.undone} if manifest.stopped else {}),
        "cost": manifest.cost,
        **artifact.measured,
    }


def say_stopped(manifest: Manifest) -> None:
    """Say that a budget ended the compile, if one did, and what the program is then."""
    if not manifest.stopped:
        return
    limit = _option(manifest.stopped)
    left = manifest.undone["episodes_at_most"]
    what = (
        f"the best so far is {manifest.chosen}" if manifest.chosen else "nothing was measured on all of dev"
    )
    say(f"{limit} ended the compile with at most {left} episodes undone; {what}; --resume with more goes on")


def mind_failures(result: Result) -> None:
    """Say what was lost to the infrastructure.

    Raises:
        WorksmithError: nothing is left to choose by, so there is no program to write.
    """
    from tools.errors import WorksmithError
    from worksmith.jobs.session import losses

    tried = [(trial.name, trial.result) for trial in result.compiled.trials if trial.result]
    failures = [f"{name}: {said}" for name, found in tried if (said := losses(found))]
    if tried and all(found.summary.graded == 0 for _, found in tried):
        raise WorksmithError(f"nothing could be measured on dev; {failures[0]}")
    for said in failures:
        say(said)


def show(facts: dict[str, Any], as_json: bool) -> None:
    """Print facts as a table, or as JSON."""
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    if facts.get("forecast"):
        # It says more of the same, and the other holds for models that do all that the gold plans do.
        facts = {name: value for name, value in facts.items() if name != "model_calls_about"}
    for name, value in facts.items():
        for number, line in enumerate(_lines(value)):
            table.add_row(f"[bold]{name.replace('_', ' ')}" if number == 0 else "", line)
    Console().print(table)


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        return [line for item in value for line in _lines(item)] or ["-"]
    if isinstance(value, dict):
        if "outcome" in value:
            return [_trial(value)]
        if "at_most" in value:
            return list(_foretold(value))
        if "said" in value:
            return list(_decided(value))
        return [", ".join(f"{key} {' '.join(_lines(item))}" for key, item in value.items()) or "-"]
    if isinstance(value, float) and value.is_integer():
        return [f"{value:.0f}"]
    return ["-" if value is None else str(value)]


def _foretold(forecast: dict[str, Any]) -> Iterator[str]:
    """A forecast in words."""
    minutes = "" if forecast["minutes"] is None else f", {forecast['minutes']} minutes"
    expected = forecast["expected"]
    yield f"{_amounts(expected)}{minutes}" if expected else "nobody can tell what will be proposed"
    yield f"at most {_amounts(forecast['at_most'])}"
    asked = "" if forecast["measured"] else " of gold plans"
    yield f"from {forecast['sampled_episodes']} episodes{asked}"
    if forecast.get("reaches"):
        yield f"reaches {', '.join(_option(name) for name in forecast['reaches'])}"


def _decided(acceptance: dict[str, Any]) -> Iterator[str]:
    """Whether the winner was shown to be better, in words, and how far its dev score flatters it."""
    yield acceptance["said"]
    if optimism := acceptance.get("optimism"):
        dev, corrected = (f"{100 * optimism[name]:.1f} %" for name in ("dev", "corrected"))
        yield f"the best dev score is {dev}; chosen on some intents and scored on the others: {corrected}"


def _amounts(spent: dict[str, Any]) -> str:
    usd = "unknown dollars" if spent["usd"] is None else f"{spent['usd']:.2f} dollars"
    return f"{spent['model_calls']:,} model calls, {spent['used_tokens']:,} used tokens, {usd}"


def _option(limit: str) -> str:
    return f"--{limit.replace('_', '-')}"


def _trial(trial: dict[str, Any]) -> str:
    outcome, errors = trial["outcome"], f", {trial['errors']} failed" if trial["errors"] else ""
    race = trial.get("race", {})
    breaks = f"breaks {', '.join(trial['broken'])}" if trial.get("broken") else ""
    errors += "".join(f"; {said}" for said in (_accepted(race), race.get("left"), breaks) if said)
    if outcome["value"] is None:
        return f"{trial['name']}: no result{errors}"
    low, value, high = (100 * outcome[bound] for bound in ("low", "value", "high"))
    return f"{trial['name']}: {value:.1f} % ({low:.1f}-{high:.1f}) of {outcome['n']} tasks{errors}"


def _accepted(race: dict[str, Any]) -> str:
    """What a race found out about an arm, in words."""
    if "accepted" in race:
        return "better than the program as it is" if race["accepted"] else "not shown to be better"
    return str(race.get("verdict", ""))
