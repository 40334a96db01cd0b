"""Models of sentence-transformers: for embedding many documents, and for any model by name."""

from __future__ import annotations

import hashlib
import itertools
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.errors import RetrievalError

BATCH_TOKENS = 1024
"""Padded tokens of a batch. More is slower on a CPU: the work no longer stays in its caches."""

CUDA_BATCH_TOKENS = 65536

_LEAST_AGREEMENT = 0.99
"""Cosine that every sample keeps in half precision. Rounding costs 0.002, a broken kernel everything."""

_HUB = "https://huggingface.co"
_PACKAGED = "minilm and static need no download"
_DOWNLOADED = f"`worksmith index --download` gets it; {_PACKAGED}"

_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")
"""Flags of CPUs that multiply in bfloat16; on others it is slower than single precision."""


class SentenceModel:
    """A model loaded through sentence-transformers. Thread-safe; calls wait for each other.

    Args:
        name: a folder, or a model's name.
        device: `cpu`, `cuda`, or another that torch knows.
        workers: batches computed at once, each on one core.
        download: whether a model that is not on this machine may be downloaded.

    Raises:
        RetrievalError: it cannot be loaded.
    """

    def __init__(self, name: str, device: str = "cpu", workers: int = 1, *, download: bool = False) -> None:
        # Batches differ in shape; the code generated for each is kept otherwise, two gigabytes in the end.
        os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")
        import torch

        # Several threads for one multiplication wait for each other: ten times slower where a core is busy.
        torch.set_num_threads(1)
        self._workers = workers if device == "cpu" else 1
        self.precision = "float32"
        self.agreement = 1.0
        self._name = name
        self._device = device
        self._model = _load(name, device, download)
        self._lock = threading.Lock()
        self.dimension = int(self._model.get_embedding_dimension())

    @property
    def digest(self) -> str:
        """Content address of the model's weights."""
        content = hashlib.blake2b(digest_size=16)
        for key, tensor in sorted(self._model.state_dict().items()):
            content.update(f"{key} {tuple(tensor.shape)} {tensor.dtype}".encode())
            content.update(tensor.cpu().contiguous().view(-1).float().numpy().tobytes())
        return f"{Path(self._name).name}-{content.hexdigest()}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each document."""
        return self._embedded(texts, self._model.encode_document)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each query."""
        return self._embedded(texts, self._model.encode_query)

    def halve(self) -> None:
        """Switch to bfloat16 if this machine is faster in it and the vectors stay the same."""
        if self._device == "cpu" and not _has_bfloat16():
            return
        import torch

        exact = self.embed(_SAMPLE)
        self._model = self._model.to(torch.bfloat16)
        agreement = float((exact * self.embed(_SAMPLE)).sum(axis=1).min())
        if agreement >= _LEAST_AGREEMENT:
            self.precision, self.agreement = "bfloat16", round(agreement, 4)
        else:
            self._model = _load(self._name, self._device)

    def _embedded(self, texts: Sequence[str], encode: Any) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        def fill(batch: list[int]) -> None:
            tensor = encode(
                [texts[place] for place in batch],
                batch_size=len(batch),
                convert_to_tensor=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            vectors[batch] = tensor.float().cpu().numpy()

        with self._lock, ThreadPoolExecutor(self._workers) as pool:
            batches = self._batches(texts)
            # One alone: the tokenizer sets itself up, which it cannot do while another thread uses it.
            for batch in itertools.islice(batches, 1):
                fill(batch)
            list(pool.map(fill, batches))
        # Again, because half precision leaves lengths of 0.998.
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths == 0, 1, lengths)
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Places of texts of similar length together, longest first: little padding."""
        budget = BATCH_TOKENS if self._device == "cpu" else CUDA_BATCH_TOKENS
        limit = self._model.max_seq_length or 512
        batch: list[int] = []
        for place in sorted(range(len(texts)), key=lambda place: -len(texts[place])):
            longest = min(len(texts[batch[0]]) // 4 + 2, limit) if batch else 0
            if batch and (len(batch) + 1) * longest > budget:
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load(name: str, device: str, download: bool = False) -> Any:
    # Read when the hub's client is imported; else it reports this machine to the hub.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        try:
            # Code of the model never runs.
            return SentenceTransformer(name, device=device, local_files_only=True, trust_remote_code=False)
        except OSError as error:
            if Path(name).is_dir() or Path(name).is_absolute():
                raise
            if not download:
                raise RetrievalError("is not on this machine", where=name, hint=_DOWNLOADED) from error
            _reach_hub(name)
            return SentenceTransformer(name, device=device, trust_remote_code=False)
    except RetrievalError:
        raise
    except Exception as error:  # the libraries below raise anything
        reason = str(error).strip().partition("\n")[0]
        hint = _PACKAGED if device == "cpu" else f"on the device {device!r}"
        raise RetrievalError(f"cannot be loaded: {reason}", where=name, hint=hint) from error


def _reach_hub(name: str) -> None:
    """Check that the model hub answers; the library below tries for a minute and a half."""
    address = os.environ.get("HF_ENDPOINT", _HUB)
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=10).close()
    except urllib.error.HTTPError:
        return  # a lock is held
    except OSError as error:
        raise RetrievalError(
            f"is not on this machine, and {address} cannot be reached", where=name, hint=_PACKAGED
        ) from error


def _has_bfloat16() -> bool:
    try:
        flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if _is_flags(line))
    except (OSError, StopIteration):
        return False
    return not set(_FLAGS).isdisjoint(flags.split())


def _is_flags(line: str) -> bool:
    return line.lower().startswith(("flags", "features"))


_SAMPLE = (
    "The parcel arrived two days late and the lid was cracked.",
    "Please move Thursday's budget review to the morning.",
    "def median(values): return sorted(values)[len(values) // 2]",
    "Login fails with error 403 after the password was changed.",
    "Whoever approves travel above 500 euros must name the cost centre.",
    "Thanks!",
    "The sensor drifts when the room is warmer than thirty degrees, so calibrate it twice a day and write "
    "down both readings together with the time, the operator and the serial number of the probe.",
    "Invoice 2041: four chairs, one desk, delivery included, due within a fortnight.",
)
"""Texts of several kinds and lengths by which half precision is compared with single precision."""
