"""What `worksmith bank` says: what a build would run, and what a bank holds and lacks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from optimizers.demos.bank_building import Attempt
    from optimizers.demos.trace_bank import Gap, TraceBank

_EXAMPLES = 3
"""Tasks named in a table beside a reason; `--json` names all."""


def forecast(tasks: Sequence[Task], attempts: Sequence[Attempt]) -> dict[str, Any]:
    """What a build would run at most: every attempt on every task that it has, as if none had succeeded."""
    return {
        "tasks": len(tasks),
        "sources": [
            {
                "source": attempt.label,
                "model": attempt.model,
                "asks_a_model": "yes" if attempt.asks else "no",
                "episodes_at_most": sum(attempt.covers(task) for task in tasks),
                "failures_on_record": len(attempt.failures),
            }
            for attempt in attempts
        ],
    }


def show_forecast(tasks: Sequence[Task], attempts: Sequence[Attempt], as_json: bool) -> None:
    """Print what a build would run, as a table or as JSON."""
    from worksmith.cli.programs.compile_report import show

    facts = forecast(tasks, attempts)
    show(facts if as_json else facts | {"sources": list(map(_in_words, facts["sources"]))}, as_json)


def _in_words(source: dict[str, Any]) -> str:
    lost = source["failures_on_record"]
    failed = f"; {lost} failed on record" if lost else ""
    asked = f"asks {source['model']}" if source["asks_a_model"] == "yes" else "asks nobody"
    return f"{source['source']}: at most {source['episodes_at_most']} episodes, {asked}{failed}"


def bank_facts(bank: TraceBank, file: str) -> dict[str, Any]:
    """All that is known of a bank, as data."""
    shown = bank.demonstrations
    card = bank.card.model_dump(mode="json") if bank.card else None
    return {
        "file": file,
        "digest": bank.digest,
        "card": card,
        "demonstrations": len(bank),
        "gaps": len(bank.gaps),
        "by_model": _counted(d.teacher for d in shown),
        "by_source": _counted(d.provenance.source if d.provenance else d.teacher for d in shown),
        "by_intent": _counted(d.intent or "(unknown)" for d in shown),
        "by_domain": _counted(domain for d in shown for domain in d.domains),
        "by_tool": _counted(tool for d in shown for tool in set(d.tools)),
        "without": gap_counts(bank.gaps),
        "tasks": [
            {"task_id": d.task_id, "intent": d.intent, "teacher": d.teacher, "tools": list(d.tools)}
            | ({"provenance": d.provenance.model_dump()} if d.provenance else {})
            for d in shown
        ],
        "gap_tasks": [gap.model_dump(mode="json") | {"kind": gap.kind} for gap in bank.gaps],
    }


def gap_counts(gaps: Iterable[Gap]) -> dict[str, int]:
    """How many tasks gave nothing for each kind of reason, the most frequent first."""
    return _counted(gap.kind for gap in gaps)


def show_bank(bank: TraceBank, file: str, as_json: bool) -> None:
    """Print a bank's facts as tables, or as JSON."""
    facts = bank_facts(bank, file)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from worksmith.cli.programs.compile_report import show

    head = {name: facts[name] for name in ("file", "digest", "demonstrations", "gaps")}
    if bank.card:
        head |= {
            "strategy": bank.card.strategy or "-",
            "tasks": f"{bank.card.tasks} of {bank.card.kind} ({bank.card.split}, {bank.card.scheme})",
        }
    counts = {name: facts[name] for name in ("by_source", "by_model", "by_domain", "by_tool")}
    show({**head, **counts, "intents": _intents(facts["by_intent"], bank.gaps)}, False)
    _print_gaps(bank.gaps)


def _intents(counts: dict[str, int], gaps: Iterable[Gap]) -> list[str]:
    """How many intents have how many demonstrations; those without any by name, for somebody has to help."""
    bare = sorted({gap.intent or "(unknown)" for gap in gaps} - counts.keys())
    lines = [f"{len(counts)} with a demonstration"]
    sizes = _counted(f"{size} each" for size in counts.values())
    lines += [f"{number} with {size}" for size, number in sorted(sizes.items())] if len(sizes) > 1 else []
    return lines + ([f"{len(bare)} without: {', '.join(bare)}"] if bare else [])


def _print_gaps(gaps: Sequence[Gap]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not gaps:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("no demonstration because")
    table.add_column("tasks", justify="right")
    table.add_column("such as")
    for kind, count in gap_counts(gaps).items():
        named = [gap.task_id for gap in gaps if gap.kind == kind][:_EXAMPLES]
        table.add_row(kind, str(count), ", ".join(named) + (" ..." if count > len(named) else ""))
    Console().print(table)


def _counted(values: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
