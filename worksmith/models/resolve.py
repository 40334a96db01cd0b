"""From a model's name to a `dspy.LM`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.lm.named import APPRENTICE, GGUF, REPLAY, SMOLLM2, is_own
from worksmith.evals.tasks.transcript import GOLD
from worksmith.models.apprentice import FOLDER as APPRENTICE_FOLDER
from worksmith.models.fetching.catalogue import catalogue
from worksmith.models.named import is_named, model_names, parted, settings_of
from worksmith.models.opening import open_model
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError, did_you_mean, names_instead, unknown
from worksmith.tools.files import PROJECT_FILE

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task

LOCAL = "local/"

OWN = "own"
"""Models that an agent of the user's asks itself."""


def open_models(name: str, tasks: Sequence[Task], record: Path | None = None) -> Mapping[str, dspy.LM]:
    """The model called `name`, or each recorded run of a replay, by label; see `resolve`.

    Args:
        record: a file that keeps every request and reply; not of a replay.
    """
    if name.startswith(REPLAY):
        return replay_runs(name, tasks)
    lm = resolve(name, tasks=tasks)
    if record is not None:
        from worksmith.programs.replaying.recording import RecordingEngine

        lm = RecordingEngine.around(lm, record)
    return {name: lm}


def resolve(name: str, *, tasks: Sequence[Task] = ()) -> dspy.LM:
    """The model called `name`.

    Args:
        name: `local/apprentice`, `local/smollm2`, `local/DIR` (a folder that
            `worksmith train` wrote), `gguf:FILE`, a model of `worksmith models list`, `gold`, `own` (agents
            that ask models themselves), `replay:FILE` (one recording), a model of the project file,
            `package.module:lm` (the user's own, which is never to be read from a file of a stranger), or any
            name DSPy knows. Settings may follow those of language models:
            `openai/gpt-4o-mini temperature=0.2`.
        tasks: whose plans the model `gold` follows.

    Raises:
        InputError: the name or a setting is wrong, or the file behind the name is missing or
            damaged.
    """
    if name.startswith(REPLAY):
        runs = replay_runs(name, tasks)
        if len(runs) > 1:
            raise InputError(
                f"{len(runs)} recorded runs, need one", where=name, hint=f"there are {', '.join(runs)}"
            )
        return next(iter(runs.values()))
    return _fresh(name, tasks)


def replay_runs(name: str, tasks: Sequence[Task]) -> Mapping[str, dspy.LM]:
    """The recorded runs behind `replay:PATH`, by label.

    PATH is a file written by `--record` (one run), or the original's result files: a CSV, or a
    directory of them, which can hold several models' and several set-ups' runs of the same tasks.
    """
    from worksmith.models.replays import read_runs

    path = Path(name.removeprefix(REPLAY))
    if not path.exists():
        raise InputError("no such recording", where=str(path))
    return read_runs(path, tasks)


def _fresh(name: str, tasks: Sequence[Task]) -> dspy.LM:
    name, options = parted(name)
    model = settings_of(name).model if is_named(name) else name
    if options and (model in (GOLD, OWN) or is_own(name)):
        raise InputError(f"{name} has no settings", hint="leave the options out")
    if model.startswith((LOCAL, GGUF)) or model in catalogue():
        return _with_weights(settings_of(name, options), name)
    if name == GOLD:
        return _gold(tasks)
    if name == OWN:
        from worksmith.programs.own_agents.model import own_models

        return own_models()
    if is_own(name):
        from worksmith.models.user_models import own_model

        return own_model(name)
    if "/" not in name and not is_named(name):
        known = f"; {PROJECT_FILE} names {', '.join(model_names())}" if model_names() else ""
        meant = did_you_mean(name, (GOLD, OWN, *catalogue(), *model_names()))
        hint = f"{meant}e.g. openai/gpt-4o-mini, ollama_chat/llama3.2, gguf:FILE{known}"
        raise InputError(f"{name!r} names no provider", hint=hint)
    return open_model(settings_of(name, options), name)


def _with_weights(settings: NamedModel, name: str) -> dspy.LM:
    """SmolLM2, a GGUF file, or a trained model in a folder."""
    import dspy

    model = settings.model
    given = settings.model_dump(exclude={"model"}, exclude_defaults=True)
    if (file := _gguf_file(model)) is not None:
        from worksmith.models.transformer.gguf.model import EXACT, gguf_model

        engine = gguf_model(
            file, precision=given.pop("precision", None), window=given.pop("context_window", None)
        )
        model = f"{LOCAL}{file.name}{'' if engine.precision == EXACT else f':{engine.precision}'}"
    elif model == SMOLLM2:
        from worksmith.models.transformer.smollm2 import smollm2

        engine = smollm2()
    else:
        folder = APPRENTICE_FOLDER if model == APPRENTICE else Path(model.removeprefix(LOCAL))
        if not folder.is_dir():
            there = names_instead(model, (APPRENTICE, SMOLLM2))
            hint = f"{there} and {LOCAL}DIR, a folder that worksmith train wrote; {GGUF}FILE is a file"
            raise InputError(f"no local model {model!r}", where=name, hint=hint)
        from worksmith.models.transformer.trained import trained

        engine = trained(folder)
    constrained = given.pop("constrained", "auto")
    if constrained == "json_schema":
        raise InputError("json_schema is for servers", where=name, hint="set constrained = auto or off")
    for setting in given:
        if setting not in engine.supported_params:
            supported = sorted({*engine.supported_params, "constrained"})
            raise unknown(f"{model} has no setting", setting, supported, name)
    lm = dspy.LM(f"{model}@{engine.digest}", engine=engine, num_retries=0, **given)
    lm.constrained = constrained
    return lm


def _gguf_file(model: str) -> Path | None:
    """The file of a model that is one; None for other models."""
    if model.startswith(GGUF):
        return Path(model.removeprefix(GGUF)).expanduser()
    listed = catalogue().get(model)
    if listed is not None and not listed.place.is_file():
        raise InputError("this model is not here", where=model, hint=f"worksmith models get {model}")
    return listed and listed.place


def _gold(tasks: Sequence[Task]) -> dspy.LM:
    from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm

    if not any(task.gold_plan is not None for task in tasks):
        raise InputError(
            "no task of the suite has a gold plan", hint="use another teacher or a generated suite"
        )
    return scripted_lm(GoldEngine(tasks))
