"""The trace bank: a teacher's successful trajectories, ready to become demonstrations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy
from pydantic import BaseModel, ConfigDict

from evals.dspy_programs.demo_format import NOTES
from evals.dspy_programs.digests import model_digest, program_digest
from evals.records.record import PRIMARY, EpisodeRecord
from evals.scoring.constraints import Constraint, acceptable
from evals.tasks.task import same_text
from optimizers.demos.bank_card import BankCard
from optimizers.demos.capture import TRACES, Capture, TraceStore
from optimizers.demos.demonstration import Demonstration
from optimizers.rollouts import Rollouts
from tools.errors import InputError
from tools.files.atomic import write_atomically
from tools.files.json_files import read_lines, validated
from tools.seeding import digest
from tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from evals.tasks.task import Task

_FORMAT = "worksmith-bank/1"
_WHAT = "a trace bank"

HELD_BACK = "asks the same as a task held back"
"""Why a success is no demonstration: a task that programs are measured on would be shown its solution."""

BREAKING = "breaks a constraint"
"""Why a success is no demonstration: programs are not to do what it shows."""


class Gap(BaseModel):
    """A task that gave no demonstration, and why.

    Attributes:
        reason: what a table counts by, after a colon its detail.
        intent: of the task.
        tried: where several sources were asked, what each of them came to.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str
    reason: str
    intent: str | None = None
    tried: dict[str, str] = {}

    @property
    def kind(self) -> str:
        """The reason without its detail; `infrastructure` where the model or the harness failed."""
        kind = self.reason.partition(":")[0]
        return "infrastructure" if kind in INFRASTRUCTURE else kind.replace("_", " ")


@dataclass(frozen=True)
class TraceBank:
    """Successful trajectories in the order of their tasks, and the tasks without one.

    Attributes:
        card: what it was built from and for; None where a compile collected it for itself.
    """

    demonstrations: tuple[Demonstration, ...]
    gaps: tuple[Gap, ...] = ()
    card: BankCard | None = None

    def check(self, program: dspy.Module, kind: str) -> None:
        """See that `program`, at work in a world of `kind`, can show the demonstrations.

        Raises:
            InputError: it cannot.
        """
        if self.card is not None:
            self.card.check(program, kind)
        known = {name: {*part.signature.fields, *NOTES} for name, part in program.named_predictors()}
        for demonstration in self.demonstrations:
            for name, fields in demonstration.parts.items():
                if strange := sorted(fields.keys() - known.get(name, set())):
                    raise InputError(
                        f"the demonstration of {demonstration.task_id} has fields that {name} does not: "
                        f"{', '.join(strange)}",
                        where="the trace bank",
                        hint="build it again with the program's own strategy",
                    )

    @property
    def digest(self) -> str:
        """Content address of the demonstrations."""
        return digest([demonstration.key for demonstration in self.demonstrations])

    def __len__(self) -> int:
        return len(self.demonstrations)

    def without(self, tasks: Iterable[Task], *, suite: str = "") -> TraceBank:
        """The bank less what would show one of `tasks` its own solution, under whatever id.

        Args:
            suite: digest of the suite that the tasks are of. In a bank of another suite the same id is
                another task, and only what is asked tells.
        """
        tasks = tuple(tasks)
        elsewhere = self.card is not None and bool(suite) and self.card.suite != suite
        ids = set() if elsewhere else {task.id for task in tasks}
        texts = {same_text(task.query) for task in tasks}
        kept, gaps = [], list(self.gaps)
        for demonstration in self.demonstrations:
            if demonstration.task_id in ids or same_text(demonstration.query) in texts:
                gaps.append(_gap(demonstration, HELD_BACK))
            else:
                kept.append(demonstration)
        return TraceBank(tuple(kept), tuple(gaps), self.card)

    def keeping(self, constraints: Sequence[Constraint]) -> TraceBank:
        """The bank less the trajectories that break a constraint on their own."""
        kept, gaps = [], list(self.gaps)
        for demonstration in self.demonstrations:
            if acceptable(constraints, demonstration.scores):
                kept.append(demonstration)
            else:
                gaps.append(_gap(demonstration, BREAKING))
        return TraceBank(tuple(kept), tuple(gaps), self.card)

    def report(self) -> dict[str, Any]:
        """How many tasks gave a demonstration, and why the others did not."""
        reasons = Counter(gap.reason for gap in self.gaps)
        return {"demonstrations": len(self), "without": dict(reasons.most_common())}

    def facts(self) -> dict[str, Any]:
        """What it is, in short, for manifests."""
        told = {"digest": self.digest, "demonstrations": len(self)}
        card = self.card
        return told if card is None else {**told, "sources": list(card.sources), "suite": card.suite}

    def write(self, path: Path) -> None:
        """Write the bank as JSON lines: a header, the demonstrations, the gaps."""
        card = {"card": self.card.model_dump(mode="json")} if self.card else {}
        lines = [json.dumps({"format": _FORMAT, "digest": self.digest, **card}, ensure_ascii=False)]
        lines.extend(item.model_dump_json() for item in (*self.demonstrations, *self.gaps))
        write_atomically(path, ("\n".join(lines) + "\n").encode())

    @classmethod
    def read(cls, path: Path) -> TraceBank:
        """The bank in a file.

        Raises:
            InputError: if it is missing, damaged, or something else.
        """
        lines = list(read_lines(path, _WHAT))
        header = lines[0][1] if lines else None
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise InputError(f"not {_WHAT}: its format is not {_FORMAT}", where=str(path))
        card = header.get("card")
        demonstrations, gaps = [], []
        for where, value in lines[1:]:
            if isinstance(value, dict) and "parts" in value:
                demonstrations.append(validated(value, Demonstration, _WHAT, where=where))
            else:
                gaps.append(validated(value, Gap, _WHAT, where=where))
        bank = cls(
            tuple(demonstrations),
            tuple(gaps),
            None if card is None else validated(card, BankCard, _WHAT, where=f"{path}:1"),
        )
        if bank.digest != header.get("digest"):
            raise InputError("the trace bank differs from its digest", where=str(path))
        return bank


def collect(program: dspy.Module, tasks: Sequence[Task], rollouts: Rollouts) -> TraceBank:
    """Run `program` with the teacher over `tasks` and keep what succeeded.

    Args:
        rollouts: runs programs with the teacher as their model; if it resumes, tasks that an earlier run
            finished are not run again, and once its budget is spent, no further ones.
    """
    run = digest([program_digest(program), model_digest(rollouts.lm), rollouts.seed])
    store = TraceStore(rollouts.folder / TRACES, run)

    def known(record: EpisodeRecord) -> bool:
        """Whether an episode need not run again: a success that left no trace would be lost to the bank."""
        return shortcoming(record) is not None or store.get(record.digests.task) is not None

    captured = Capture(program, store, rollouts.env)
    result = rollouts(captured, tasks, name="teacher", partly=True, known=known)
    by_task = {record.task_id: record for record in result.records}
    demonstrations, gaps = [], []
    for task in tasks:
        found = _demonstration(task, by_task.get(task.id), store.get(task.digest), rollouts.model)
        if isinstance(found, Gap):
            gaps.append(found)
        else:
            demonstrations.append(found)
    return TraceBank(tuple(demonstrations), tuple(gaps))


def _demonstration(
    task: Task, record: EpisodeRecord | None, trace: dict[str, Any] | None, teacher: str
) -> Demonstration | Gap:
    reason = "not run" if record is None else shortcoming(record)
    if reason is None and (trace is None or not trace["parts"]):
        reason = "left no trace"
    if reason is not None:
        return Gap(task_id=task.id, reason=reason, intent=task.intent)
    assert record is not None
    assert trace is not None
    return Demonstration(
        task_id=task.id,
        query=task.query,
        intent=task.intent,
        domains=task.domains,
        tools=tuple(trace["tools"]),
        records=tuple(trace["records"]),
        scores=record.scores,
        teacher=teacher,
        parts=trace["parts"],
    )


def _gap(demonstration: Demonstration, reason: str) -> Gap:
    return Gap(task_id=demonstration.task_id, reason=reason, intent=demonstration.intent)


def shortcoming(record: EpisodeRecord) -> str | None:
    """Why an episode is no example to follow; None if it is one."""
    if record.status != "finished":
        detail = f": {record.error}" if record.error else ""
        return f"{record.status}{detail}"
    if record.scores.get(PRIMARY, 0.0) < 1.0:
        unknown = sorted({call.tool for call in record.calls if call.status == "unknown_tool"})
        return f"tools not on offer: {', '.join(unknown)}" if unknown else "wrong outcome"
    if not record.calls:
        # Right only because there was nothing to do: it shows nobody how to find that out.
        return "called no tool"
    return None
