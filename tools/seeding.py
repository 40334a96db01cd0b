"""Randomness and content addresses that depend on keys only, never on order or the clock."""

from __future__ import annotations

import hashlib
import json
import mmap
import random
from typing import Any


def rng(seed: int, *keys: str | int) -> random.Random:
    """A generator for one purpose: the same seed and keys always give the same stream."""
    return random.Random("/".join([str(seed), *map(str, keys)]))


def digest(value: Any, length: int = 16) -> str:
    """The first `length` hex digits of the SHA-256 of `value` as canonical JSON.

    `value` must be JSON-able; tuples count as lists.
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:length]


def digest_bytes(data: bytes | mmap.mmap, length: int = 16) -> str:
    """The first `length` hex digits of the SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()[:length]
