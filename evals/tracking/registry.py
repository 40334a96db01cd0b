"""Compiled programs as logged models and registered versions, and their prompts."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.run_card import package_versions
from worksmith.evals.tracking.figures import params_text
from worksmith.evals.tracking.store import quiet
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities.model_registry import Prompt, PromptVersion

_NAME = re.compile(r"[\w][\w.\-]{0,199}")
_ALIAS = re.compile(r"[A-Za-z_][\w\-]{0,99}")
_VERSIONS = "mlflow.modelVersions"
_EXPERIMENTS = "_mlflow_experiment_ids"
_VERSION = re.compile(r"v\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Registration:
    """The name under which a program is registered, and an alias of its new version."""

    name: str
    alias: str | None = None

    @classmethod
    def parse(cls, text: str) -> Registration:
        """The registration in `NAME[@ALIAS]`.

        Raises:
            InputError: MLflow does not take the name or the alias.
        """
        name, at, alias = text.partition("@")
        reserved = alias.lower() == "latest" or _VERSION.fullmatch(alias)
        if not _NAME.fullmatch(name) or (at and (reserved or not _ALIAS.fullmatch(alias))):
            raise InputError(
                f"no name for a model: {text!r}",
                where="--register",
                hint="give NAME or NAME@ALIAS of letters, digits, - and _, such as desk@champion",
            )
        return cls(name, alias or None)


@dataclass(frozen=True)
class KeptModel:
    """A compiled program that loads back, or a trained model.

    Attributes:
        files: a trained model's; of a program, the one file or directory that the compile left.
        code: a program's Python file, which ends in `mlflow.models.set_model(...)`. It finds that file under
            the key `program` of its context's artifacts.
        config: settings that can be changed when a program is loaded (`model_config`).
        register_as: also make it the next version of this registered model.
    """

    name: str
    files: Sequence[Path]
    params: Mapping[str, Any]
    code: Path | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    register_as: Registration | None = None


def log_model(client: MlflowClient, experiment_id: str, run_id: str, model: KeptModel) -> str:
    """Keep a model as a logged model of a run, without MLflow's active run; gives its id."""
    made = client.create_logged_model(
        experiment_id,
        model.name,
        run_id,
        params=params_text(model.params),
        model_type="agent" if model.code else "language model",
    )
    if model.code:
        _log_program(client, made.model_id, run_id, model)
    else:
        for file in model.files:
            client.log_model_artifact(made.model_id, str(file))
    client.finalize_logged_model(made.model_id, "READY")
    return str(made.model_id)


def _log_program(client: MlflowClient, model_id: str, run_id: str, model: KeptModel) -> None:
    import mlflow.pyfunc
    from mlflow.entities import LoggedModelInput
    from mlflow.models import Model

    # Our models declare no schema on purpose; MLflow warns that it cannot infer one.
    with quiet("mlflow.pyfunc"), tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        mlflow.pyfunc.save_model(
            path=path,
            mlflow_model=Model(model_id=model_id, run_id=run_id),
            python_model=str(model.code),
            artifacts={"program": str(*model.files)},
            model_config=dict(model.config),
            pip_requirements=_requirements(),
        )
        client.log_model_artifacts(model_id, path)
    # An input of the run: MLflow's page of evaluation runs leaves out runs with a model as their output.
    client.log_inputs(run_id, models=[LoggedModelInput(model_id)])


def register(client: MlflowClient, model_id: str, run_id: str, as_: Registration) -> str:
    """Make a logged model the next version of a registered one.

    Returns:
        The version's address, `models:/NAME/VERSION`.
    """
    from mlflow.exceptions import MlflowException

    try:
        client.create_registered_model(as_.name)
    except MlflowException as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
    # MLflow would look "models:/..." up in the process's own store, not in the client's.
    source = client.get_logged_model(model_id).artifact_location
    version = client.create_model_version(as_.name, source=source, run_id=run_id, model_id=model_id).version
    # A server sets this itself; MLflow's page of agent versions reads it.
    client.set_logged_model_tags(model_id, {_VERSIONS: json.dumps([{"name": as_.name, "version": version}])})
    if as_.alias:
        client.set_registered_model_alias(as_.name, as_.alias, version)
    return f"models:/{as_.name}/{version}"


def register_prompts(
    client: MlflowClient, experiment_id: str, texts: Mapping[str, str], aliases: Sequence[str], note: str
) -> list[PromptVersion]:
    """Keep prompts of an experiment; an equal text makes no new version.

    Args:
        texts: by name. Names and aliases are changed to what MLflow takes.
    """
    prompts = []
    for given, text in texts.items():
        name = re.sub(r"[^\w.-]+", "-", given, flags=re.ASCII)
        prompt = client.load_prompt(f"prompts:/{name}@latest", allow_missing=True, cache_ttl_seconds=0)
        tags = {_EXPERIMENTS: _experiments(client.get_prompt(name), experiment_id)}
        if prompt is None or prompt.template != text:
            prompt = client.register_prompt(name, text, commit_message=note, tags=tags)
        else:
            client.set_prompt_tag(name, _EXPERIMENTS, tags[_EXPERIMENTS])
        for alias in aliases:
            client.set_prompt_alias(name, re.sub(r"[^\w-]+", "-", alias, flags=re.ASCII), prompt.version)
        prompts.append(prompt)
    return prompts


def _experiments(prompt: Prompt | None, experiment_id: str) -> str:
    """The tag of a prompt on the pages of whose experiments it is: those so far, and this one.

    MLflow itself names the process's own experiment only.
    """
    known = (prompt.tags if prompt is not None else {}).get(_EXPERIMENTS, "")
    ids = dict.fromkeys([*filter(None, known.split(",")), experiment_id])
    return f",{','.join(ids)},"


def link_prompts(client: MlflowClient, run_id: str, prompts: Sequence[PromptVersion]) -> None:
    """Link prompts with a run of this client's store.

    `MlflowClient.link_prompt_version_to_run` looks for the run in the process's own store.
    """
    if not prompts:
        return
    from mlflow.tracing.constant import TraceTagKey
    from mlflow.tracing.utils.prompt import update_linked_prompts_tag

    known = client.get_run(run_id).data.tags.get(TraceTagKey.LINKED_PROMPTS)
    client.set_tag(run_id, TraceTagKey.LINKED_PROMPTS, update_linked_prompts_tag(known, list(prompts)))


def _requirements() -> list[str]:
    """The requirements of a loaded program; inferring them would run the model in a subprocess."""
    packages = ("worksmith", "dspy", "mlflow")
    found = package_versions(*packages)
    return [f"{name}=={found[name]}" if name in found else name for name in packages]
