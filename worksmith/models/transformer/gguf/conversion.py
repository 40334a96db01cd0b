"""The weights of a GGUF file for transformers, made once into the cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from worksmith.models.transformer.gguf.header import Header
from worksmith.models.transformer.weights import TRUSTED
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.files.caches import cache_folder
from worksmith.tools.files.directories import directory_atomically

FORM = 2
"""Of the converted files and of replies. A change makes new ones."""

SIZES: Final = {"float32": 4, "bfloat16": 2}
"""The precisions, with the bytes of a weight."""

_TRIAL = Path(__file__).with_name("trial.py")

_SECONDS = 60.0
"""The time that a chat template may take to render three short chats, with the start of a process."""

_DAY = "{%- macro strftime_now(form) -%}26 Jul 2024{%- endmacro -%}"
"""For chat templates with the date: the same request has the same prompt on every day."""

_OTHERS = ("general", "tokenizer", "t5", "umt5", "mamba", "lfm2", "gpt_oss", "bloom", "gpt2")
"""What transformers' list of architectures has beside chat models that the engine runs."""


def file_digest(file: Path) -> str:
    """The SHA-256 of a file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        about = file.stat()
        return _digest(file.resolve(), about.st_size, about.st_mtime_ns)
    except OSError as error:
        raise InputError(f"cannot read the model: {error.strerror or error}", where=str(file)) from error


@cache
def _digest(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def folder_of(sha256: str, dtype: str) -> Path:
    """The folder of the converted weights of a file, which may not be there yet."""
    return cache_folder("models") / f"{sha256[:32]}-{FORM}-{dtype}"


def check_convertible(file: Path, header: Header, folder: Path, dtype: str, *, calls: bool) -> None:
    """Check that a file can be converted here, before its weights are read.

    Args:
        calls: whether its chat template is to show tools and calls of them.

    Raises:
        InputError: transformers cannot read the architecture, the disk is too small, or the chat template
            does not render.
    """
    from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES

    known = sorted(each.replace("_", "") for each in GGUF_SUPPORTED_ARCHITECTURES if each not in _OTHERS)
    if header.architecture.replace("-", "").replace("_", "") not in known:
        fault = f"no architecture {header.architecture!r} is known here"
        raise InputError(fault, where=str(file), hint=f"there are {', '.join(known)}")
    needed = header.parameters * SIZES[dtype]
    place = next(each for each in folder.parents if each.exists())
    free = shutil.disk_usage(place).free
    if needed > free:
        fault = f"the converted weights take {_gigabytes(needed)}, and {_gigabytes(free)} are free"
        raise InputError(fault, where=str(place), hint="free some, or let XDG_CACHE_HOME name another folder")
    _check_template(file, header.template, calls=calls)


def check_memory(file: Path, header: Header, dtype: str, device: str) -> None:
    """Check that the weights fit the memory.

    Raises:
        InputError: they do not.
    """
    needed, free = header.parameters * SIZES[dtype], _memory(device)
    if free is not None and needed > free:
        half = dtype == "float32" and needed // 2 <= free
        raise InputError(
            f"the model is too big: its weights take {_gigabytes(needed)} of memory, "
            f"and {_gigabytes(free)} are available",
            where=str(file),
            hint="set precision to bfloat16" if half else "take a smaller model",
        )


def converted(file: Path, sha256: str, dtype: str) -> Path:
    """The folder with the weights, the settings, the tokenizer and the chat template of a GGUF file.

    The first call makes it; other processes wait.

    Raises:
        InputError: the file was changed, transformers cannot read it, or the cache cannot be written.
    """
    folder = folder_of(sha256, dtype)
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.wait")):
            if not folder.is_dir():
                if file_digest(file) != sha256:
                    raise InputError("the model was changed while it was in use", where=str(file))
                fault = f"the weights of {file.name} are converted into {folder.parent}, once"
                warnings.warn(Notice(fault), stacklevel=2)
                with directory_atomically(folder) as new:
                    _convert(file, new, dtype)
    except OSError as error:
        raise InputError(
            f"the model cannot be converted: {error.strerror or error}",
            where=str(folder),
            hint="free space on the disk, or let XDG_CACHE_HOME name another folder",
        ) from error
    return folder


def _convert(source: Path, folder: Path, dtype: str) -> None:
    import torch
    from safetensors.torch import save_file
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
    from transformers.utils import logging

    logging.disable_progress_bar()
    # Read from a folder of its own: transformers would take the tokenizer of neighbouring files.
    link = folder / "model.gguf"
    link.symlink_to(source.absolute())
    place: dict[str, Any] = {"gguf_file": link.name, **TRUSTED}
    try:
        config = AutoConfig.from_pretrained(folder, **place)
        with torch.device("meta"):
            empty = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(folder, **place)
        read = load_gguf_checkpoint(
            str(source), return_tensors=True, model_to_load=empty, torch_dtype=getattr(torch, dtype)
        )
    except (ValueError, KeyError, IndexError, TypeError, RuntimeError, NotImplementedError) as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            f"transformers cannot read the GGUF file: {said}", where=str(source), hint="take another model"
        ) from error
    missing = {name for name, _ in empty.named_parameters(remove_duplicate=True)} - read["tensors"].keys()
    if missing:
        said = f"the GGUF file lacks weights: {min(missing)}"
        raise InputError(said, where=str(source), hint="take another file of the model")
    link.unlink()
    if "strftime_now" in tokenizer.chat_template:
        tokenizer.chat_template = _DAY + tokenizer.chat_template
    tokenizer.save_pretrained(folder)
    config.save_pretrained(folder)
    GenerationConfig(eos_token_id=tokenizer.eos_token_id).save_pretrained(folder)
    save_file(read["tensors"], folder / "model.safetensors", metadata={"format": "pt"})


def _check_template(file: Path, template: str, *, calls: bool) -> None:
    """Render three short chats in a separate process, which can be ended: a template may loop.

    Raises:
        InputError: it does not render them.
    """
    command = [sys.executable, "-P", str(_TRIAL), *(["calls"] if calls else [])]
    try:
        tried = subprocess.run(command, input=template.encode(), capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        fault = "does not end"
    else:
        lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        fault = f"does not render: {lines[-1] if lines else 'it was ended'}" if tried.returncode else ""
    if fault:
        raise InputError(f"the chat template {fault}", where=str(file), hint="take another file of the model")


def _memory(device: str) -> int | None:
    """The bytes of memory that are available; None if unknown."""
    if device == "cuda":
        import torch

        return int(torch.cuda.mem_get_info()[0])
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1_024 for line in lines if line.startswith("MemAvailable:"))
        limit, used = (_CONTAINER / name for name in ("memory.max", "memory.current"))
        most = limit.read_text().strip() if limit.is_file() else "max"
        return free if most == "max" else min(free, int(most) - int(used.read_text()))
    except (OSError, ValueError, StopIteration):
        return None


_CONTAINER = Path("/sys/fs/cgroup")
"""The place of a container's limits on Linux."""


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
