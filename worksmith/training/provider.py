"""Local models that `dspy.BootstrapFinetune` and `dspy.BetterTogether` can train."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import dspy
from dspy.clients.provider import Provider, TrainingJob

from worksmith.evals.lm.lm_proxy import ProxyEngine, ProxyLM
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.jobs.settings.training import TrainSftSettings
from worksmith.models.resolve import resolve
from worksmith.models.transformer.manifest import MANIFEST
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.seeding import digest
from worksmith.training.folder import UNFINISHED
from worksmith.training.job import train

LOCAL = "local/"
"""Before the folder of a model, in its name."""


class LocalProvider(Provider):  # type: ignore[misc]
    """Trains local models on what DSPy's optimizers hand over.

    The same data, model and settings have one folder: an earlier training is used again, and a killed one
        continues.

    Args:
        folder: gets a folder for each training.
        progress: gets the progress of each training.
        settings: of `TrainSftSettings`, such as `tune` and `epochs`; those in an optimizer's `train_kwargs`
            come first.
    """

    def __init__(self, folder: Path, progress: Progress = SILENT, **settings: Any) -> None:
        super().__init__()
        self.finetunable = True
        self._folder = folder
        self._progress = progress
        self._settings = settings

    def finetune(
        self,
        job: TrainingJob,
        model: str,
        train_data: list[dict[str, Any]],
        train_data_format: Any,
        train_kwargs: Mapping[str, Any] | None = None,
    ) -> str:
        """Train a model; gives the name of the result."""
        if not train_data:
            raise InputError("no example of the teacher succeeded, so there is nothing to train on")
        name = model.partition("@")[0]
        settings = {"prompt": "text", **self._settings, **(train_kwargs or {})}
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in train_data)
        out = self._folder / digest([model, lines, settings], length=12)
        if not (out / MANIFEST).is_file():
            data = out.with_suffix(".jsonl")
            write_atomically(data, lines.encode())
            resume = (out / UNFINISHED).is_file()
            train(
                TrainSftSettings(**{**settings, "model": name, "data": data, "out": out, "resume": resume}),
                progress=self._progress,
            )
        return f"{LOCAL}{out}"


class TrainableLM(ProxyLM):
    """A local model whose weights DSPy can train. A copy with another name has that model's weights."""

    _opened: Callable[[dspy.LM], dspy.LM]

    @classmethod
    def of(cls, lm: dspy.LM, provider: LocalProvider, opened: Callable[[dspy.LM], dspy.LM]) -> Self:
        """The model `lm`, trained by `provider`.

        Args:
            lm: with a proxy as engine.
            opened: takes each trained model, and gives the one to ask in its place, also with a proxy.
        """
        settings = {name: value for name, value in lm.kwargs.items() if value is not None}
        found = cls(lm.model, engine=lm.engine, cache=lm.cache, provider=provider, num_retries=0, **settings)
        found._opened = opened
        return found

    def copy(self, **changes: Any) -> dspy.LM:
        name = changes.get("model")
        if name is not None and name != self.model:
            opened = self._opened(resolve(name))
            changes |= {"model": opened.model, "engine": opened.engine}
        return super().copy(**changes)


def trainable(name: str, folder: str | Path, *, progress: Progress = SILENT, **settings: Any) -> TrainableLM:
    """A local model for `dspy.BootstrapFinetune` and `dspy.BetterTogether`.

    Args:
        name: `local/smollm2` or `local/DIR`; settings may follow it.
        folder: gets the trained models.
        progress: gets the progress of each training.
        settings: of `TrainSftSettings`, for each training.

    Raises:
        InputError: the model is unknown.

    Example:
        >>> lm = trainable("local/smollm2", "weights", epochs=3)  # doctest: +SKIP
        >>> program.set_lm(lm)  # doctest: +SKIP
        >>> dspy.BootstrapFinetune(metric).compile(program, trainset=examples)  # doctest: +SKIP
    """
    return TrainableLM.of(_proxy(resolve(name)), LocalProvider(Path(folder), progress, **settings), _proxy)


def _proxy(lm: dspy.LM) -> dspy.LM:
    return ProxyEngine(lm).installed()
