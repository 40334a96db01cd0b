"""Deriving a compiled program anew from its journal, and saying in what it differs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from optimizers.compile import compile_program
from optimizers.description import decides
from optimizers.journal import copied, differences, read_description
from tools.errors import InputError

if TYPE_CHECKING:
    from optimizers.artifact import Artifact
    from optimizers.compile import Plan


def derived(plan: Plan) -> Artifact:
    """What `plan` comes to by its journal alone: no model is asked, and the journal stays as it is.

    Raises:
        InputError: the journal is of another plan, or there is none.
        JournalInUseError: a process works in it.
        IncompleteJournalError: it does not hold all that it takes.
    """
    then = read_description(plan.folder)["decides"]
    differing = list(differences(then, decides(plan, then["purpose"])))
    if differing:
        said = "; ".join(f"{name} was {was!r} and is {now!r}" for name, was, now in differing)
        raise InputError(
            f"the program was compiled under other circumstances: {said}", where=str(plan.folder)
        )
    with copied(plan.folder) as copy:
        return compile_program(replace(plan, folder=copy, resume=True, asking=False)).artifact


def differing_parts(ours: Artifact, theirs: Artifact) -> list[str]:
    """The names of the parts in which two compiled programs differ: of the manifest, and of the state."""
    found = [name for name, _, _ in differences(ours.manifest.to_json(), theirs.manifest.to_json())]
    return found + [name for name, _, _ in differences(ours.state, theirs.state, "state")]
