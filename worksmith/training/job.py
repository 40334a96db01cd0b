"""Training a model: settings in, a folder with the model out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.run_card import package_versions
from worksmith.evals.tracking import open_tracker, tolerant
from worksmith.jobs.recording.tracking import check_registered, registration
from worksmith.jobs.settings.training import TrainSettings
from worksmith.jobs.showing.printing import Facts
from worksmith.models.transformer.manifest import DATA_CARD
from worksmith.models.transformer.registering import record_model
from worksmith.tools.files.directories import directory_atomically
from worksmith.tools.seeding import digest
from worksmith.training.folder import Begun, begun, last_checkpoint
from worksmith.training.material import Material, open_material
from worksmith.training.result import write_model

if TYPE_CHECKING:
    from worksmith.evals.tracking import Run
    from worksmith.training.trainers import Plan


@dataclass(frozen=True)
class Trained(Facts):
    """A model that was trained.

    Attributes:
        out: its folder.
        examples, left_out: the lines that it was trained on, and those that were too long.
        tokens, taught_tokens: of a pass over the data, and those of them that carry loss.
        trained_tokens: of all steps.
        steps: all.
        loss: the mean over the first and the last tenth of the steps.
        seconds, tokens_per_second: of the steps in this process.
        run: in MLflow.
    """

    out: Path
    method: str
    model: str
    tune: str
    examples: int
    left_out: int
    tokens: int
    taught_tokens: int
    trained_tokens: int
    steps: int
    loss: tuple[float, float]
    precision: str
    seconds: float
    tokens_per_second: float
    megabytes: float
    run: str | None

    def facts(self) -> dict[str, Any]:
        first, last = self.loss
        return {
            **{name: value for name, value in vars(self).items() if name != "loss"},
            "out": str(self.out),
            "loss": {"first": round(first, 4), "last": round(last, 4)},
            "next": f"worksmith eval SUITE --lm local/{self.out}",
        }


def train(settings: TrainSettings, *, progress: Progress = SILENT) -> Trained:
    """Train a model.

    Args:
        settings: `SftSettings` or `DpoSettings`.
        progress: gets its progress.

    Returns:
        The model's folder and the figures of the training.

    Raises:
        InputError: a setting, a line of the data or the model is wrong, or a package is missing.
        TrackingError: the MLflow store cannot be reached before the training, or fails to register the model.
    """
    register_as = registration(settings.register_as, track=settings.track)
    found = open_material(settings, progress)
    from worksmith.training.live import Live
    from worksmith.training.trainers import libraries_quiet, method, plan, taught_positions_only, trainer

    name = method(settings)
    planned = plan(settings, found.batches(settings))
    described = {key: value for key, value in settings.described().items() if key not in ("data", "model")}
    described |= {"bfloat16": planned.bfloat16, "steps": planned.steps}
    described |= package_versions("torch", "transformers", "trl", "peft")
    work = Begun(method=name, settings=described, data=found.data.digest, start=found.start.digest)
    main = int(os.environ.get("RANK", "0")) == 0
    with (
        begun(settings.out, work, resume=settings.resume, main=main) as checkpoints,
        _run(settings, name, work, found, planned, main=main) as run,
        progress.bar(f"train {name}") as tick,
    ):
        if found.card is not None:
            run.text(found.card.decode(), DATA_CARD)
        live = Live(tick, run, progress)
        with taught_positions_only(), libraries_quiet():
            made = trainer(settings, found.start, found.tokenizer, planned, checkpoints, live)
            checkpoint = last_checkpoint(checkpoints) if settings.resume else None
            if checkpoint is not None:
                progress.say(f"goes on after step {checkpoint.name.rpartition('-')[2]}")
            made.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        losses = [each["loss"] for each in made.state.log_history if "loss" in each]
        model = made.accelerator.unwrap_model(made.model)
        if main:
            with directory_atomically(settings.out) as new:
                write_model(
                    new,
                    model,
                    found.tokenizer,
                    found.start,
                    found.card,
                    prompt=found.prompt,
                    licence=found.licence,
                    form=settings.form,
                )
            if register_as is not None:
                address = record_model(run, settings.out, register_as)
                progress.say(f"registered as {check_registered(address)}")
    tenth = max(1, len(losses) // 10)
    return Trained(
        out=settings.out,
        method=name,
        model=settings.model,
        tune=settings.tune,
        examples=len(found.examples),
        left_out=found.left_out,
        tokens=found.tokens,
        taught_tokens=found.taught,
        trained_tokens=round(found.tokens * planned.share),
        steps=planned.steps,
        loss=(sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth),
        precision="bfloat16" if planned.bfloat16 else "float32",
        seconds=round(live.seconds, 1),
        tokens_per_second=round(live.tokens / live.seconds, 1) if live.seconds else 0.0,
        megabytes=_megabytes(settings.out),
        run=run.id,
    )


def _run(
    settings: TrainSettings, name: str, work: Begun, found: Material, planned: Plan, *, main: bool
) -> Run:
    """The run in MLflow, without which the training goes on.

    One that a killed process left behind is ended first.
    """
    tracker = open_tracker(
        settings.tracking_uri, track=settings.track and main, experiment=settings.experiment
    )
    tags = {"worksmith.command": f"train {name}", "worksmith.settings": digest(work.model_dump(mode="json"))}
    if settings.resume:
        tracker.end_abandoned(tags)
    params = {
        "method": name,
        "model": settings.model,
        **work.settings,
        "data": settings.data.name,
        "data_digest": found.data.digest,
        "base": found.start.base.name,
        "base_digest": found.start.base.digest,
        "learning_rate": planned.rate,
        "examples": len(found.examples),
        "tokens": found.tokens,
        "taught_tokens": found.taught,
    }
    return tolerant(tracker.start(f"train {name} {settings.out.name}", params=params, tags=tags))


def _megabytes(folder: Path) -> float:
    return round(sum(file.stat().st_size for file in folder.glob("*.safetensors")) / 1e6, 1)
