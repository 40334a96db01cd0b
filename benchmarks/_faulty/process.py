"""A model's server and the proxy in front of it, as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

KEY = "WORKSMITH_SERVE_TOKEN"
"""The environment variable with the token."""

_TOKEN = "a-token-of-this-machine"
_SECONDS = 30


@dataclass(frozen=True)
class Proxy:
    """A running proxy.

    Attributes:
        model: the name of the model behind, as the command line takes it.
    """

    address: str
    model: str

    def base(self, kind: str, rate: float) -> str:
        """The address for clients that are to meet a kind of fault."""
        return f"{self.address}/{kind}/{rate:g}/v1"

    def named(self, kind: str, rate: float, **settings: float) -> str:
        """The model behind that address, by a name that `--lm` takes."""
        options = {"api_base": self.base(kind, rate), "api_key_env": KEY, **settings}
        return " ".join([f"openai/{self.model}", *(f"{name}={value}" for name, value in options.items())])

    def counts(self, kind: str, rate: float) -> dict[str, Any]:
        """The counts at that address, see `benchmarks._faulty.proxy.Counts`."""
        place = f"{self.address}/{kind}/{rate:g}/counts"
        counts: dict[str, Any] = httpx.get(place, trust_env=False).raise_for_status().json()
        return counts


@contextmanager
def faulty(model: str = "local/analogy", *, seed: int = 0) -> Iterator[Proxy]:
    """A proxy before `worksmith serve model`, for as long as the block lasts. `KEY` has the token."""
    before = os.environ.get(KEY)
    os.environ[KEY] = _TOKEN
    serve = ["worksmith.cli", "serve", "model", model, "--port", "0", "--json"]
    try:
        with _running(serve) as line:
            at = json.loads(line)["url"]
            with _running(["benchmarks._faulty.proxy", at, "--seed", str(seed)]) as address:
                yield Proxy(address, model)
    finally:
        if before is None:
            del os.environ[KEY]
        else:
            os.environ[KEY] = before


@contextmanager
def _running(module: Sequence[str]) -> Iterator[str]:
    """A module as a process; the first line that it prints."""
    process = subprocess.Popen([sys.executable, "-m", *module], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"{module[0]} ended with {process.wait(_SECONDS)} before it listened")
        yield line
    finally:
        process.terminate()
        process.communicate(timeout=_SECONDS)
