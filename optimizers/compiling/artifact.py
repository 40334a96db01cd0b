"""A compiled program on disk: one JSON file with the program's state and a manifest of its compile.

The digest covers the state and the manifest, which are the same for the same compile on any machine. It does
not cover measured durations.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Literal

import dspy
from pydantic import BaseModel, ConfigDict, Field, field_serializer

from worksmith.evals.dspy_programs.program_state import PredictorState, restore, state_of
from worksmith.evals.dspy_programs.states import is_state
from worksmith.evals.lm.prices import Price
from worksmith.evals.records.compile_facts import AcceptanceFacts, CompileFacts, Trials
from worksmith.optimizers.candidates.candidate import AS_IT_IS, Candidate
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.demos.demonstration import Demonstration, Provenance
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_json, validated
from worksmith.tools.seeding import digest

FORMAT: Final = "worksmith-program/3"

_WHAT, _AGAIN = "a compiled program", "make one with `worksmith compile`"


_HOW: Final = "a compiled program: load it with worksmith.load(FILE, PROGRAM)"
_NO_STATE: Final = {"dependency_versions": {_HOW: ""}}
"""The field that DSPy's `Module.load` reads first. It stops at an unknown name, and quotes it."""


class _Frozen(BaseModel):
    """A part of a compiled program's file: not changed once made, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DemonstrationSource(_Frozen):
    """The origin of a demonstration, and the records that it quotes.

    Attributes:
        provenance: of one from a prebuilt bank.
    """

    task_id: str
    teacher: str
    key: str
    records: tuple[str, ...] = ()
    provenance: Provenance | None = None

    @classmethod
    def of(cls, demonstration: Demonstration) -> DemonstrationSource:
        return cls.model_validate(demonstration, from_attributes=True)


class Manifest(_Frozen):
    """How a program was compiled.

    Attributes:
        program: the configuration to build the program anew: strategy, toolset, step limit ...
        candidate: the changes of the compile in the program as it was, if the optimizer reports them.
        difference: the same, for readers.
        undo: takes the program back to the one before all compiles, see
            `worksmith.optimizers.candidates.undoing`.
        start: digest of the compiled program that the compile began from; empty if it began from another.
        suite: kind, origin and digest.
        scheme: by which tasks were split; `train` and `dev` are the ids used.
        where: conditions on the tasks.
        lm, teacher: the models' names as they were given; `models` has their full names.
        gold: whether demonstrations or weights follow gold plans, that is, solutions that no model found. The
            made-up copies that readers with fewer rights are shown always do.
        settings: of the optimizer, seed included.
        trials: the candidates' dev scores with intervals; `chosen` is the name of one.
        acceptance: the remark on a program that was not tested; the results of a race are in its trials.
        front: names of the trials that no other beats in dev score and in tokens, the cheapest first.
        gaps: why training tasks gave no demonstration, with counts.
        cost: episodes, model calls and tokens, of teacher and student.
        limits: of the budget, if they decided the tried candidates.
        prices: the user's own, where a limit in dollars decided.
        versions: of worksmith, dspy and Python.
        bank: digest, sources and suite of the prebuilt bank; empty without one.
        seen_by_proposer: references (`source/key`) of the records that the model which proposed instructions
            was shown without redaction. A race shows some only where everybody may read all, and names none.
        stopped: the limit of a budget that ended the compile, e.g. `max_calls`; empty without one.
        undone: the most episodes that it left undone by that.
        metric: judges that took part, and whether programs were chosen by them; empty without.
    """

    program: dict[str, Any]
    candidate: Candidate = Field(AS_IT_IS, exclude_if=lambda candidate: candidate == AS_IT_IS)
    difference: str = Field("", exclude_if=lambda text: not text)
    undo: Candidate = Field(AS_IT_IS, exclude_if=lambda undo: undo == AS_IT_IS)
    start: str = Field("", exclude_if=lambda start: not start)
    suite: dict[str, str]
    scheme: str
    where: tuple[str, ...] = ()
    train: tuple[str, ...]
    dev: tuple[str, ...]
    lm: str
    teacher: str
    models: dict[str, str] = {}
    gold: bool
    optimizer: str
    settings: dict[str, Any]
    trials: Trials = ()
    chosen: str | None = None
    acceptance: AcceptanceFacts = {}
    front: tuple[str, ...] = ()
    gaps: dict[str, int] = {}
    cost: dict[str, dict[str, int]] = {}
    limits: Limits = Field(Limits(), exclude_if=lambda limits: not limits.given)
    prices: dict[str, Price] = Field({}, exclude_if=lambda prices: not prices)
    demonstrations: tuple[DemonstrationSource, ...] = ()
    versions: dict[str, str] = {}
    bank: dict[str, Any] = {}
    seen_by_proposer: tuple[str, ...] = ()
    stopped: str = ""
    undone: dict[str, int] = {}
    metric: dict[str, str] = {}

    @property
    def tried(self) -> CompileFacts:
        """The trials of the compile, for the cards of the program's runs."""
        return CompileFacts(
            optimizer=self.optimizer, trials=self.trials, chosen=self.chosen, front=self.front
        )

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    @field_serializer("limits")
    def _given(self, limits: Limits) -> dict[str, float]:
        return limits.given

    @field_serializer("candidate", "undo")
    def _plain(self, candidate: Candidate) -> dict[str, Any]:
        return candidate.to_json()


class _File(_Frozen):
    format: Literal["worksmith-program/3"] = "worksmith-program/3"
    metadata: dict[str, dict[str, str]] = _NO_STATE
    digest: str
    manifest: Manifest
    state: dict[str, PredictorState]
    measured: dict[str, float] = {}


class Artifact(_Frozen):
    """A compiled program as a file.

    Attributes:
        state: of each predictor by its name: texts and examples.
        measured: values that differ from run to run, e.g. seconds.
    """

    manifest: Manifest
    state: dict[str, PredictorState]
    measured: dict[str, float] = {}

    @classmethod
    def of(cls, program: dspy.Module, manifest: Manifest, measured: dict[str, float]) -> Artifact:
        return cls(manifest=manifest, state=state_of(program), measured=measured)

    def state_json(self) -> dict[str, Any]:
        return {name: state.to_json() for name, state in self.state.items()}

    @property
    def digest(self) -> str:
        """Content address of manifest and state."""
        return digest([self.manifest.to_json(), self.state_json()])

    @property
    def text(self) -> str:
        """The text of its file."""
        file = {
            "format": FORMAT,
            "metadata": _NO_STATE,
            "digest": self.digest,
            "manifest": self.manifest.to_json(),
            "state": self.state_json(),
            "measured": self.measured,
        }
        return json.dumps(file, indent=1, ensure_ascii=False) + "\n"

    def write(self, path: Path) -> None:
        """Write the file in one step, so that a reader never sees half of it."""
        write_atomically(path, self.text.encode())

    @classmethod
    def read(cls, path: Path | str) -> Artifact:
        """Read the artifact in a file."""
        path = Path(path)
        file = _parse(path)
        artifact = cls(manifest=file.manifest, state=file.state, measured=file.measured)
        if artifact.digest != file.digest:
            raise InputError(
                "the compiled program differs from its digest",
                where=str(path),
                hint="it was edited or damaged; compile it again",
            )
        return artifact

    def restore(self, program: dspy.Module, *, where: str | None = None) -> dspy.Module:
        """Load the state into a program.

        Args:
            program: a fresh one, built after `manifest.program`.
            where: the artifact's file, for errors.

        Returns:
            `program`.

        Raises:
            InputError: if the program has other predictors than the artifact, or they have other fields.
        """
        restore(program, self.state, where=where)
        return program


def _parse(path: Path) -> _File:
    data = read_json(path, _WHAT, hint=_AGAIN)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        if found is None and is_state(data):
            raise InputError(
                "this is a state that DSPy saved, not a compiled program: it does not say of which agent",
                where=str(path),
                hint="make the agent in Python and call its load, or make a program with `worksmith compile`",
            )
        raise InputError(
            "not a compiled program"
            if found is None
            else f"its format is {found!r}, this version reads {FORMAT}",
            where=str(path),
            hint=_AGAIN,
        )
    return validated(data, _File, _WHAT, where=str(path), hint=_AGAIN)
