"""A trace bank and its file, as people and programs read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from worksmith.jobs.showing.printing import Printable, facts_table
from worksmith.optimizers.demos.trace_bank import Gap, TraceBank

if TYPE_CHECKING:
    from worksmith.jobs.settings.programs import ShowBankSettings

_EXAMPLES = 3
"""Tasks named in a table beside a reason; the data name all."""


@dataclass(frozen=True)
class Bank(Printable):
    """A trace bank and its file."""

    bank: TraceBank
    file: Path

    def to_json(self) -> dict[str, Any]:
        bank, shown = self.bank, self.bank.demonstrations
        return {
            "file": str(self.file),
            "digest": bank.digest,
            "card": bank.card.model_dump(mode="json") if bank.card else None,
            "demonstrations": len(bank),
            "gaps": len(bank.gaps),
            "by_model": _counted(d.teacher for d in shown),
            "by_source": _counted(d.provenance.source if d.provenance else d.teacher for d in shown),
            "by_intent": _counted(d.intent or "(unknown)" for d in shown),
            "by_domain": _counted(domain for d in shown for domain in d.domains),
            "by_tool": _counted(tool for d in shown for tool in set(d.tools)),
            "without": _counted(gap.kind for gap in bank.gaps),
            "tasks": [
                {"task_id": d.task_id, "intent": d.intent, "teacher": d.teacher, "tools": list(d.tools)}
                | ({"provenance": d.provenance.model_dump()} if d.provenance else {})
                for d in shown
            ],
            "gap_tasks": [gap.model_dump(mode="json") | {"kind": gap.kind} for gap in bank.gaps],
        }

    def print(self, console: Console) -> None:
        facts, card = self.to_json(), self.bank.card
        shown = {name: facts[name] for name in ("file", "digest", "demonstrations", "gaps")}
        if card:
            tasks = f"{card.tasks} of {card.kind} ({card.split}, {card.scheme})"
            shown |= {"strategy": card.strategy or "-", "tasks": tasks}
        shown |= {name: facts[name] for name in ("by_source", "by_model", "by_domain", "by_tool")}
        intents = _intents(facts["by_intent"], self.bank.gaps)
        console.print(facts_table(shown | {"intents": intents}))
        if self.bank.gaps:
            console.print(_gap_table(self.bank.gaps))


def read_bank(settings: ShowBankSettings) -> Bank:
    """Read a bank."""
    return Bank(TraceBank.read(settings.file), settings.file)


def _intents(counts: dict[str, int], gaps: Iterable[Gap]) -> list[str]:
    """How many intents have how many demonstrations; those without any by name."""
    bare = sorted({gap.intent or "(unknown)" for gap in gaps} - counts.keys())
    lines = [f"{len(counts)} with a demonstration"]
    sizes = _counted(f"{size} each" for size in counts.values())
    lines += [f"{number} with {size}" for size, number in sorted(sizes.items())] if len(sizes) > 1 else []
    return lines + ([f"{len(bare)} without: {', '.join(bare)}"] if bare else [])


def _gap_table(gaps: Sequence[Gap]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("no demonstration because")
    table.add_column("tasks", justify="right")
    table.add_column("such as")
    for kind, count in _counted(gap.kind for gap in gaps).items():
        named = [gap.task_id for gap in gaps if gap.kind == kind][:_EXAMPLES]
        table.add_row(kind, str(count), ", ".join(named) + (" ..." if count > len(named) else ""))
    return table


def _counted(values: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
