"""The runs of jobs in MLflow: their experiment, their traces, and the record of a compile."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from worksmith.evals.dspy_programs.digests import strategy_name
from worksmith.evals.records.run_card import CARD_ARTIFACT
from worksmith.evals.tracking import KeptModel, TraceChoice, open_tracker, tolerant
from worksmith.evals.tracking.figures import params_text
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.evals.tracking.registry import Registration
from worksmith.evals.tracking.store import existing_store
from worksmith.optimizers.compiling.trials import record_prompts
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.records.run_card import RunCard
    from worksmith.evals.suite import Suite
    from worksmith.evals.tracking import Run, Tracker
    from worksmith.jobs.settings.groups.record import TracedSettings
    from worksmith.optimizers.compiling.compile import CompileResult


def slug(label: str) -> str:
    """A label as a name for files and models: `react + knn` becomes `react-knn`."""
    return "-".join(re.findall(r"\w+", label))


@dataclass(frozen=True)
class Tracking:
    """The MLflow settings of a job.

    Attributes:
        uri: of the store; None for the environment's or the default.
        experiment: None for the one of the suite.
        traces: which episodes become traces.
    """

    track: bool
    uri: str | None
    experiment: str | None
    traces: TraceChoice

    @classmethod
    def of(cls, settings: TracedSettings, *, track: bool) -> Self:
        """Read settings.

        Raises:
            InputError, TrackingError: the store cannot be used.
        """
        if track:
            existing_store(settings.tracking_uri)
        return cls(track, settings.tracking_uri, settings.experiment, TraceChoice.parse(settings.traces))

    def open(self, suite: Path) -> Tracker:
        """The tracker of the experiment of the suite in the folder `suite`."""
        name = self.experiment or suite.resolve().name
        return open_tracker(self.uri, track=self.track, experiment=name, traces=self.traces)

    def start(
        self,
        suite: Path,
        command: str,
        about: str = "",
        *,
        params: Mapping[str, Any],
        resume: bool = False,
        raises: bool = False,
    ) -> Run:
        """A run of a job, in the experiment of the suite in the folder `suite`.

        Args:
            about: the difference to other runs of the command, in few words.
            resume: whether it goes on with the work of an earlier one. If that was killed, its run still has
                the status of a running one; it is ended.
            raises: whether a failure of MLflow is raised. Otherwise the run goes on without it.
        """
        tracker = self.open(suite)
        tags = {"worksmith.command": command, "worksmith.settings": digest(params_text(params))}
        if resume:
            tracker.end_abandoned(tags)
        run = tracker.start(f"{command} {about}".rstrip(), params=params, tags=tags)
        return run if raises else tolerant(run)


def registration(register_as: str | None, *, track: bool) -> Registration | None:
    """The name under which a result is to be registered, if any.

    Raises:
        InputError: MLflow does not take the name, or the run is not tracked.
    """
    if register_as is None:
        return None
    if not track:
        raise InputError("only tracked programs can be registered", where="--register")
    return Registration.parse(register_as)


def check_registered(address: str | None) -> str:
    """The address of a program or model that was to be registered.

    Raises:
        TrackingError: it was not, because MLflow failed.
    """
    if address is None:
        raise TrackingError("the result is written, but MLflow failed, so it is not registered")
    return address


def keep_card(run: Run, card: RunCard) -> None:
    """Keep a run's card among its artifacts, without saying where a machine keeps things."""
    shown = {name: _without_folder(getattr(card, name)) for name in ("suite", "artifact")}
    run.text(card.model_copy(update=shown).model_dump_json(indent=1), CARD_ARTIFACT)


def _without_folder(place: str) -> str:
    """The name of a file or folder, after the address of a module and `@` if there is one."""
    address, at, path = place.rpartition("@")
    return f"{address}{at}{Path(path).name}" if Path(path).is_absolute() else place


def keep_program(
    run: Run, result: CompileResult, file: Path, *, works_in: Suite, register_as: Registration | None = None
) -> str | None:
    """Keep the prompts of a compiled program, and the program, which loads back.

    Args:
        file: the program's.

    Returns:
        The address of the program as a model; None if nothing is kept.
    """
    if run.id is None:
        return None
    from worksmith.jobs.recording.served import CODE, bundle  # loads MLflow

    artifact, named = result.artifact, strategy_name(result.compiled.program)
    aliases = [register_as.alias] if register_as and register_as.alias else []
    record_prompts(run, artifact, f"{works_in.path.name}.{named}", aliases)
    manifest = artifact.manifest
    if "strategy" not in manifest.program:
        # Nothing but its own module can load it.
        run.text(artifact.text, "program.json")
        return None
    name = f"{named}-{slug(manifest.optimizer)}"
    with tempfile.TemporaryDirectory() as folder:
        params = {"lm": manifest.lm, "teacher": manifest.teacher, "digest": artifact.digest}
        stored = bundle(file, works_in, Path(folder))
        config = {"lm": manifest.lm}
        return run.model(KeptModel(name, [stored], params, CODE, config, register_as))


def record_dev_episodes(run: Run, result: CompileResult, trained_on: Suite) -> None:
    """Traces of the chosen program's episodes on dev, if worksmith's runner ran them."""
    compiled = result.compiled
    for trial in compiled.trials:
        if trial.name == compiled.chosen and trial.result is not None:
            found = trial.result
            run.traces(found.records, split="dev", model=found.model, seed=found.seed, tasks=trained_on.tasks)
