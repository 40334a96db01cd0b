"""Deriving a compiled program anew from its journal, and saying in what it differs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from optimizers.budget import Budget
from optimizers.compile import compile_program
from optimizers.description import decides
from optimizers.journal import IncompleteJournalError, copied, differences, read_description
from tools.errors import InputError

if TYPE_CHECKING:
    from optimizers.artifact import Artifact
    from optimizers.compile import Plan


class _Ended(Budget):
    """A budget that admits nothing beyond what a journal holds, since that is where it ended."""

    def __init__(self, limit: str) -> None:
        super().__init__()
        self._limit = limit

    def enter(self, model: str, kind: str) -> int | None:
        self.stopped = self._limit
        return None


def derived(plan: Plan, *, stopped: str = "") -> Artifact:
    """What `plan` comes to by its journal alone: no model is asked, and the journal stays as it is.

    Args:
        stopped: the limit of the budget that ended the compile; empty if none did.

    Raises:
        InputError: the journal is of another plan, or there is none.
        InUseError: a process works in it.
        IncompleteJournalError: it does not hold all that it takes.
    """
    then = read_description(plan.folder)["decides"]
    differing = list(differences(then, decides(plan, then["purpose"])))
    if differing:
        said = "; ".join(f"{name} was {was!r} and is {now!r}" for name, was, now in differing)
        raise InputError(
            f"the program was compiled under other circumstances: {said}", where=str(plan.folder)
        )
    if stopped and plan.optimizer.startswith("dspy:"):
        # Their episodes are in no log, so that nobody can tell which of them were begun.
        raise IncompleteJournalError(
            plan.folder, [f"no word of where its budget ({stopped}) ended {plan.optimizer}"]
        )
    budget = _Ended(stopped) if stopped else None
    with copied(plan.folder) as copy:
        return compile_program(replace(plan, folder=copy, resume=True, asking=False, budget=budget)).artifact


def differing_parts(ours: Artifact, theirs: Artifact) -> list[str]:
    """The names of the parts in which two compiled programs differ: of the manifest, and of the state."""
    found = [name for name, _, _ in differences(ours.manifest.to_json(), theirs.manifest.to_json())]
    return found + [name for name, _, _ in differences(ours.state_json(), theirs.state_json(), "state")]
