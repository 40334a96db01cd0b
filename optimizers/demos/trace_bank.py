"""The trace bank: a teacher's successful trajectories, ready to become demonstrations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.scoring.constraints import Constraint, acceptable
from worksmith.evals.tasks.repeats import request
from worksmith.evals.tasks.task import same_text
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.tools.errors import InfrastructureError, InputError, WorksmithError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_lines, validated
from worksmith.tools.seeding import digest
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task

_FORMAT = "worksmith-bank/2"
_WHAT = "a trace bank"

HELD_BACK = "asks the same as a task held back"
"""A success that is no demonstration: it would show the solution of a task that measures programs."""

BREAKING = "breaks a constraint"
"""A success that is no demonstration: programs must not imitate it."""

NO_TRACE = "left no trace"
"""A success that is no demonstration: it called no predictor that the program holds."""

_HINTS = {
    HELD_BACK: "give a valset whose examples are not in the trainset",
    BREAKING: "loosen the constraint, or take a teacher that keeps it",
    NO_TRACE: "keep the predictors that forward calls in attributes of the program",
    "program_error": "mend the program",
    "called no tool": "give training tasks that need a tool",
    "tools not on offer": "give the program the toolset that its tasks need",
    "step_limit": "give the program more steps",
    "not run": "give the teacher a larger budget",
    "context_limit": "take a model with a longer context, or shorten the prompts",
    "invalid_request": "change the setting of the model that it refuses",
}
"""Remedies for reasons that are not faults of the teacher."""

_REASONS = 3
"""How many reasons of an empty bank are named, the most frequent ones."""


class Gap(BaseModel):
    """A task that gave no demonstration, and why.

    Attributes:
        reason: the words that a table counts by, after a colon their detail.
        tried: the reason of each source, where several were asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str
    reason: str
    intent: str | None = None
    tried: dict[str, str] = {}

    @property
    def kind(self) -> str:
        """The reason without its detail; `infrastructure` where the model or the harness failed."""
        kind = _kind_of(self.reason)
        return "infrastructure" if kind in INFRASTRUCTURE else kind.replace("_", " ")


def count_reasons(gaps: Iterable[Gap]) -> dict[str, int]:
    """Why tasks gave no demonstration, with counts, the most frequent reason first."""
    return dict(Counter(gap.reason for gap in gaps).most_common())


def apart_from(tasks: Sequence[Task], held_back: Iterable[Task]) -> list[Task]:
    """The tasks that ask the same as none of those held back."""
    ids, requests = set(), set()
    for task in held_back:
        ids.add(task.id)
        requests.add(request(task))
    return [task for task in tasks if task.id not in ids and request(task) not in requests]


class BankCard(BaseModel):
    """The head of a bank's file: its tasks, its sources and the format of its program.

    Attributes:
        kind: of the suite's world.
        suite: digest of the suite.
        tasks: how many were tried.
        sources: as they were named, in the order in which they were asked.
        program: the configuration to build the program again, as a manifest has it.
        interface: see `interface_of`.
        versions: of the software.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    suite: str
    split: str
    scheme: str
    tasks: int
    sources: tuple[str, ...]
    program: dict[str, Any] = {}
    interface: dict[str, tuple[str, ...]] = {}
    seed: int = 0
    versions: dict[str, str] = {}

    @property
    def strategy(self) -> str:
        """Name of the strategy that its demonstrations show; empty for programs without one."""
        strategy = self.program.get("strategy")
        return str(strategy.get("name", "")) if isinstance(strategy, dict) else str(strategy or "")


def interface_of(program: dspy.Module) -> dict[str, tuple[str, ...]]:
    """The fields of each predictor's signature by the predictor's name, inputs before outputs.

    Two programs with the same interface can show each other's demonstrations.
    """
    return {
        name: (
            *predictor.signature.input_fields,
            *(f"-> {output}" for output in predictor.signature.output_fields),
        )
        for name, predictor in program.named_predictors()
    }


@dataclass(frozen=True)
class TraceBank:
    """Successful trajectories in the order of their tasks, and the tasks without one.

    Attributes:
        demonstrations: at most one for each task.
        gaps: the tasks without one.
        card: None if a compile collected the bank for itself.
    """

    demonstrations: tuple[Demonstration, ...]
    gaps: tuple[Gap, ...] = ()
    card: BankCard | None = None

    def check(self, program: dspy.Module, kind: str) -> None:
        """Check that `program`, in a world of `kind`, can show the demonstrations.

        Raises:
            InputError: it cannot.
        """
        hint = "build it again with the program's own strategy"
        if (card := self.card) is not None:
            if kind != card.kind:
                raise InputError(
                    f"the trace bank is of a world of the kind {card.kind}, the suite is of the kind {kind}"
                )
            if interface_of(program) != card.interface:
                made_for = f"the strategy {card.strategy}" if card.strategy else "another program"
                raise InputError(
                    f"the trace bank was built for {made_for}, whose parts have other fields", hint=hint
                )
        known = {name: {*part.signature.fields, NOTES} for name, part in program.named_predictors()}
        for demonstration in self.demonstrations:
            for name, fields in demonstration.parts.items():
                if strange := sorted(fields.keys() - known.get(name, set())):
                    raise InputError(
                        f"the demonstration of {demonstration.task_id} has fields that {name} does not: "
                        f"{', '.join(strange)}",
                        where="the trace bank",
                        hint=hint,
                    )

    @property
    def digest(self) -> str:
        return digest([demonstration.key for demonstration in self.demonstrations])

    def __len__(self) -> int:
        return len(self.demonstrations)

    def usable(
        self, held_back: Iterable[Task], constraints: Sequence[Constraint] = (), *, suite: str = ""
    ) -> TraceBank:
        """The bank without demonstrations that must not be shown.

        Args:
            held_back: tasks whose solution must not be shown, under any id.
            constraints: a trajectory that breaks one of them on its own is left out.
            suite: digest of the suite of `held_back`. In a bank of another suite the same id is another
                task or person, so only texts are compared.

        Returns:
            A bank with a gap for each demonstration left out.
        """
        held_back = tuple(held_back)
        elsewhere = self.card is not None and bool(suite) and self.card.suite != suite
        ids = set() if elsewhere else {task.id for task in held_back}
        texts = {same_text(task.query) for task in held_back}
        requests = {digest(request(task)) for task in held_back}
        kept, gaps = [], list(self.gaps)
        for each in self.demonstrations:
            known = each.request and not elsewhere
            same = each.request in requests if known else same_text(each.query) in texts
            if same or each.task_id in ids:
                reason = HELD_BACK
            elif not acceptable(constraints, each.scores):
                reason = BREAKING
            else:
                kept.append(each)
                continue
            gaps.append(Gap(task_id=each.task_id, reason=reason, intent=each.intent))
        return replace(self, demonstrations=tuple(kept), gaps=tuple(gaps))

    def facts(self) -> dict[str, Any]:
        """A short description for manifests."""
        facts = {"digest": self.digest, "demonstrations": len(self)}
        card = self.card
        return facts if card is None else {**facts, "sources": list(card.sources), "suite": card.suite}

    def write(self, path: Path) -> None:
        """Write the bank as JSON lines: a header, the demonstrations, the gaps."""
        card = {"card": self.card.model_dump(mode="json")} if self.card else {}
        lines = [json.dumps({"format": _FORMAT, "digest": self.digest, **card}, ensure_ascii=False)]
        lines.extend(item.model_dump_json() for item in (*self.demonstrations, *self.gaps))
        write_atomically(path, ("\n".join(lines) + "\n").encode())

    @classmethod
    def read(cls, path: Path) -> TraceBank:
        """Read a bank from a file that `write` made.

        Raises:
            InputError: if the file is missing, damaged, or something else.
        """
        lines = list(read_lines(path, _WHAT))
        header = lines[0][1] if lines else None
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise InputError(f"not {_WHAT}: its format is not {_FORMAT}", where=str(path))
        card = header.get("card")
        demonstrations, gaps = [], []
        for where, value in lines[1:]:
            if isinstance(value, Mapping) and "parts" in value:
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


class NothingTaughtError(InputError):
    """No training task gave a demonstration."""


def nothing_taught(teacher: str, gaps: Mapping[str, int], *, prebuilt: bool = False) -> WorksmithError:
    """The error about an empty bank.

    Args:
        teacher: the model's name.
        gaps: the reasons why training tasks gave no demonstration, with counts.
        prebuilt: whether the demonstrations were to come from a bank that was built before.

    Returns:
        An `InfrastructureError` where every attempt was lost, else a `NothingTaughtError`.
    """
    attempts = sum(gaps.values())
    lost = [reason for reason in gaps if _kind_of(reason) in INFRASTRUCTURE]
    if attempts and len(lost) == len(gaps):
        return InfrastructureError(f"{teacher} taught nothing: {_first_line(lost[0])}")
    kinds: Counter[str] = Counter()
    for reason, count in gaps.items():
        kinds[_kind_of(reason)] += count
    named = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in kinds.most_common(_REASONS))
    most = kinds.most_common(1)[0][0] if kinds else ""
    detail = next((_first_line(reason) for reason in gaps if _kind_of(reason) == most), "")
    if prebuilt:
        return NothingTaughtError(
            f"the bank has no demonstration that may be shown ({named or 'it is empty'})",
            where="--bank",
            hint="build one from other training tasks or sources",
        )
    first = f"; the first: {detail}" if ":" in detail else ""
    if " raised " in most:
        return NothingTaughtError(
            f"nothing was taught: {detail}, at {kinds[most]} of {attempts} attempts at training tasks",
            hint="return 0 for an answer that cannot be scored",
        )
    if most in _HINTS:
        message = f"none of {attempts} training tasks gave a demonstration ({named}{first})"
        return NothingTaughtError(f"nothing was taught: {message}", hint=_HINTS[most])
    return NothingTaughtError(
        f"{teacher} taught nothing: none of {attempts} attempts at training tasks succeeded ({named}{first})",
        where="--teacher",
        hint="take a stronger model, gold where tasks have gold plans, or a --bank",
    )


def _kind_of(reason: str) -> str:
    return reason.partition(":")[0]


def _first_line(reason: str) -> str:
    return reason.partition("\n")[0]
