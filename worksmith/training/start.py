"""The model from which a training begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from worksmith.evals.lm.named import APPRENTICE, SMOLLM2
from worksmith.jobs.settings.training import TrainSettings
from worksmith.models.apprentice import FOLDER as APPRENTICE_FOLDER
from worksmith.models.transformer.bases import base_model
from worksmith.models.transformer.manifest import MANIFEST, BaseWeights, WeightsForm, read_manifest
from worksmith.models.transformer.weights import TRUSTED
from worksmith.tools.errors import InputError
from worksmith.training.folder import UNFINISHED

_LOCAL = "local/"

_ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]

_ALPHA = 2
"""The scale of an adapter's output: alpha by rank."""

_LICENCES = {SMOLLM2: "Apache-2.0"}
_UNKNOWN = "NOASSERTION"
"""SPDX's word for an unstated licence."""


class Start(NamedTuple):
    """The weights from which a training begins.

    Attributes:
        folder: of the base model.
        base: its name and digest.
        trained: the folder of an adapter or a difference that is trained further.
        form: which of the two it is, or `whole`.
        digest: of all weights.
        licence: of them.
    """

    folder: Path
    base: BaseWeights
    trained: Path | None
    digest: str
    licence: str
    form: WeightsForm = "whole"


def open_start(name: str, *, download: bool = False) -> Start:
    """Find the model called `name`.

    Args:
        name: `local/smollm2`, `local/apprentice`, a folder (`local/` before it is left out), or a name on
            Hugging Face's hub.
        download: whether it may be fetched from there.

    Raises:
        InputError: it is not here, is unfinished or damaged, or cannot be fetched.
    """
    place = Path(name if name == SMOLLM2 else name.removeprefix(_LOCAL))
    if name == APPRENTICE:
        place = APPRENTICE_FOLDER
    if (place / UNFINISHED).is_file():
        raise InputError(
            "the training of this model is not finished",
            where=str(place),
            hint="give the command that began it again, with --resume",
        )
    if (place / MANIFEST).is_file():
        trained = read_manifest(place)
        if trained.weights == "whole":
            folder, base = base_model(str(place))
            return Start(folder, base, None, trained.digest, trained.licence)
        folder, base = base_model(trained.base.name)
        if base.digest != trained.base.digest:
            raise InputError(
                f"the {trained.weights} is of another {trained.base.name}",
                where=str(place),
                hint="get the version of the base that it was trained on",
            )
        return Start(folder, base, place, trained.digest, trained.licence, trained.weights)
    if download and name != SMOLLM2 and not place.is_dir():
        _fetch(name)
    try:
        folder, base = base_model(name if name == SMOLLM2 or not place.is_dir() else str(place))
    except InputError as error:
        if download or name == SMOLLM2 or place.is_dir():
            raise
        hint = "--download fetches it from Hugging Face's hub; or name local/smollm2 or a folder"
        raise InputError(error.message, where=name, hint=hint) from error
    return Start(folder, base, None, base.digest, _LICENCES.get(name, _UNKNOWN))


def _fetch(name: str) -> None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    wanted = ["*.safetensors", "*.safetensors.index.json", "*.json", "*.jinja", "*.txt"]
    try:
        snapshot_download(name, allow_patterns=wanted)
    except HFValidationError as error:
        raise InputError("no such folder, and no name of a model on the hub", where=name) from error
    except (HfHubHTTPError, OSError) as error:
        raise InputError(
            f"the model cannot be fetched: {type(error).__name__}",
            where=name,
            hint="look at the name and the network; HF_TOKEN names you to the hub",
        ) from error


def open_tokenizer(start: Start) -> Any:
    """The tokenizer of the model, or that of the trained model if it has one."""
    from transformers import AutoTokenizer

    folder = start.folder
    if start.trained is not None and (start.trained / "tokenizer.json").is_file():
        folder = start.trained
    try:
        return AutoTokenizer.from_pretrained(folder, **TRUSTED)
    except (OSError, ValueError) as error:
        raise InputError("the model has no tokenizer", where=str(folder)) from error


def open_weights(start: Start, settings: TrainSettings) -> tuple[Any, Any]:
    """The model in single precision, and the configuration of a new adapter, if there is to be one."""
    from worksmith.models.transformer.difference import add, check_encodable

    model = open_base(start)
    if settings.form == "difference":
        check_encodable(model, start.folder)
    if start.form == "difference" and start.trained is not None:
        add(model, start.trained)
    elif start.trained is not None:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, start.trained, is_trainable=True)
        if settings.tune != "full":
            return model, None
        model = model.merge_and_unload()
    if settings.tune == "full":
        model.requires_grad_(True)
        if not settings.embeddings:
            model.get_input_embeddings().requires_grad_(False)
        return model, None
    return model, _new_adapter(settings)


def open_base(start: Start) -> Any:
    """The base model in single precision."""
    import torch
    from safetensors import SafetensorError
    from transformers import AttentionInterface, AutoModelForCausalLM

    from worksmith.training.attention import BY_EXAMPLE, by_example

    AttentionInterface.register(BY_EXAMPLE, by_example)
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            start.folder, dtype=torch.float32, attn_implementation="sdpa", use_safetensors=True, **TRUSTED
        )
        layers = set(getattr(model.config, "layer_types", None) or ["full_attention"])
        if layers == {"full_attention"} and not getattr(model.config, "sliding_window", None):
            model.set_attn_implementation(BY_EXAMPLE)
        int(model.config.max_position_embeddings)  # the manifest will name it
    except (OSError, ValueError, RuntimeError, KeyError, AttributeError, SafetensorError) as error:
        said = str(error).strip().partition("\n")[0]
        raise InputError(f"the model cannot be read: {said}", where=str(start.folder)) from error
    return model


def _new_adapter(settings: TrainSettings) -> Any:
    from peft import LoraConfig

    return LoraConfig(
        r=settings.rank,
        lora_alpha=_ALPHA * settings.rank,
        target_modules=_ATTENTION if settings.tune == "lora" else "all-linear",
        task_type="CAUSAL_LM",
    )


def check_form(start: Start, settings: TrainSettings) -> None:
    """Check that the start and the form of the result fit the trained weights."""
    if settings.tune == "full":
        return
    place = start.trained
    if settings.form == "difference" or start.form == "difference":
        raise InputError(
            "a difference is of all weights",
            where=str(place or "--form difference"),
            hint="give --tune full",
        )
    if place is None:
        return
    from peft import LoraConfig

    adapter = LoraConfig.from_pretrained(str(place))
    attention = set(adapter.target_modules) == set(_ATTENTION)
    if adapter.r != settings.rank or attention is not (settings.tune == "lora"):
        tune = "lora" if attention else "lora-all"
        raise InputError(
            "an adapter that is trained further keeps its form",
            where=str(place),
            hint=f"give --tune {tune} --rank {adapter.r}, or --tune full, which begins with the merged model",
        )
