"""The manifest of a trained model: `model.json` in its folder, beside the weights.

A folder may come from a stranger. Loading reads only files that the manifest names with their digests:
safetensors, JSON, and the text of a chat template. No file of it is code.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_json, read_model
from worksmith.tools.seeding import digest

MANIFEST = "model.json"
DATA_CARD = "data_card.json"
"""The data card of the training data, beside the manifest."""

ADAPTER = ("adapter_config.json", "adapter_model.safetensors")
"""The files of an adapter, as PEFT writes them."""

DIFFERENCE = "difference.safetensors"
"""The file of a difference to the base, see `worksmith.models.transformer.difference`."""

OBSERVATION = 1_000
"""Characters of an observation in a compact prompt, by default."""

_NEEDED = {"adapter": ADAPTER, "difference": (DIFFERENCE,), "whole": ("config.json", "tokenizer.json")}

_READ = re.compile(
    r"[\w-]+\.safetensors|model\.safetensors\.index\.json|(adapter_|generation_)?config\.json"
    r"|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|added_tokens\.json"
    r"|vocab\.json|merges\.txt|chat_template\.jinja"
)
"""The names of files that loading reads."""

_TEMPLATES = "additional_chat_templates"
_LEADS = {"tokenizer_config.json": "fast_tokenizer_files", "config.json": "transformers_weights"}
"""Keys by which transformers finds files of other names."""

_HINT = "name a folder that worksmith train wrote"

WeightsForm = Literal["adapter", "difference", "whole"]
"""A LoRA adapter or a two-bit difference, which need their base, or all weights."""

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def _readable(name: str) -> str:
    if not _READ.fullmatch(name):
        raise ValueError(f"{name!r} is not a file of a model")
    return name


FileName = Annotated[str, AfterValidator(_readable)]


class BaseWeights(BaseModel):
    """The model from which the training began.

    Attributes:
        name: `local/smollm2`, a folder, or a name on Hugging Face's hub. It is not a trained adapter: who
            trains an adapter further names its base.
        digest: of its weights, see `worksmith.models.transformer.bases`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    digest: Sha256


class TrainedModel(BaseModel):
    """The content of a folder, and the way to ask the model.

    Attributes:
        weights: their form.
        files: the SHA-256 of each file that loading reads, by name.
        prompt: the format of prompts that it was trained on.
        observation: characters of an observation in such prompts.
        context_window: tokens of prompt and reply together.
        data_card: the SHA-256 of `data_card.json`.
        licence: of the weights, as an SPDX expression.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    weights: WeightsForm
    base: BaseWeights
    files: dict[FileName, Sha256]
    prompt: Literal["compact", "text", "json"] = "compact"
    observation: int = Field(default=OBSERVATION, ge=50, le=100_000)
    context_window: int = Field(ge=64)
    data_card: Sha256 | None = None
    licence: str = Field(min_length=1)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = [name for name in _NEEDED[self.weights] if name not in self.files]
        if missing:
            raise ValueError(f"the files lack {missing[0]}")
        if self.weights == "whole" and not self.files.keys().isdisjoint((*ADAPTER, DIFFERENCE)):
            raise ValueError("a whole model has no adapter and no difference")
        if self.weights == "whole" and not any(name.endswith(".safetensors") for name in self.files):
            raise ValueError("the files lack the weights (.safetensors)")
        return self

    @property
    def digest(self) -> str:
        """The content address of all that decides a reply."""
        told = self.model_dump(mode="json", exclude={"base", "data_card", "licence"})
        return digest([told, self.base.digest], length=64)


def file_digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file in a folder that loading would read, by name.

    Raises:
        InputError: a file cannot be read, or loading would read others.
    """
    _check_closed(folder)
    return {path.name: _sha256(path) for path in sorted(folder.iterdir()) if _READ.fullmatch(path.name)}


def write_manifest(folder: Path, model: TrainedModel) -> None:
    """Write the manifest of a folder whose other files exist.

    Raises:
        InputError: the manifest does not fit the files.
        OSError: the disk is full.
    """
    _check_files(folder, model)
    write_atomically(folder / MANIFEST, (model.model_dump_json(indent=1) + "\n").encode())


def read_manifest(folder: Path) -> TrainedModel:
    """The manifest of a folder, and a check of its files against it.

    Raises:
        InputError: the folder is missing or not a trained model, or a file was changed.
    """
    if not folder.is_dir():
        raise InputError("no such folder of a model", where=str(folder), hint=_HINT)
    if not (folder / MANIFEST).is_file():
        raise InputError(f"no trained model: {MANIFEST} is missing", where=str(folder), hint=_HINT)
    model = read_model(folder / MANIFEST, TrainedModel, "the manifest of a model", hint=_HINT)
    _check_files(folder, model)
    return model


def _check_files(folder: Path, model: TrainedModel) -> None:
    expected = {**model.files, **({DATA_CARD: model.data_card} if model.data_card else {})}
    for name, known in expected.items():
        if _sha256(folder / name) != known:
            raise InputError(
                f"{name} is not the file that the manifest names",
                where=str(folder / name),
                hint="copy the folder again, or train the model again",
            )
    unnamed = file_digests(folder).keys() - model.files.keys()
    if unnamed:
        raise InputError(
            f"the manifest does not name {min(unnamed)}", where=str(folder), hint="remove the file"
        )


def _check_closed(folder: Path) -> None:
    """Check that nothing in a folder leads transformers to files of other names."""
    if (folder / _TEMPLATES).exists():
        raise InputError(
            "a model with several chat templates cannot be used",
            where=str(folder / _TEMPLATES),
            hint="remove the folder",
        )
    for name, key in _LEADS.items():
        path = folder / name
        if path.is_file() and key in dict(read_json(path, "the configuration of a model")):
            raise InputError(f"{name} names files", where=str(path), hint=f"remove {key} from it")


def _sha256(path: Path) -> str:
    try:
        if not path.is_file():
            raise InputError("the file of a model is missing", where=str(path), hint="copy the folder again")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"cannot read a file of a model: {error.strerror or error}", where=str(path)
        ) from error
