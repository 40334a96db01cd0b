"""A model's server and the proxy in front of it, as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import httpx

KEY = "WORKSMITH_SERVE_TOKEN"
"""The environment variable with the token."""

_TOKEN = "a-token-of-this-machine"
_SECONDS = 30


@dataclass(frozen=True)
class Proxy:
    """A running proxy."""

    address: str

    def base(self, kind: str, rate: float) -> str:
        """The address for clients that are to meet a kind of fault."""
        return f"{self.address}/{kind}/{rate:g}/v1"

    def named(self, model: str, kind: str, rate: float, **settings: float) -> str:
        """A model behind that address, by a name that `--lm` takes."""
        options = {"api_base": self.base(kind, rate), "api_key_env": KEY, **settings}
        return " ".join([f"openai/{model}", *(f"{name}={value}" for name, value in options.items())])

    def counts(self, kind: str, rate: float) -> dict[str, Any]:
        """The counts at that address, see `benchmarks.soundness.faults.proxy.Counts`."""
        place = f"{self.address}/{kind}/{rate:g}/counts"
        counts: dict[str, Any] = httpx.get(place, trust_env=False).raise_for_status().json()
        return counts


@contextmanager
def faulty(
    *models: str, seed: int = 0, variables: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Proxy]:
    """A proxy before a `worksmith serve model` of each model, for as long as the block lasts.

    Args:
        models: names that the command takes.
        seed: of the draws.
        variables: more of the environment of the servers. `KEY` has the token, in this process too.
    """
    with ExitStack() as stack:
        stack.enter_context(_environment({KEY: _TOKEN, **variables}))
        serve = ("worksmith.cli", "serve", "model")
        lines = [stack.enter_context(_running(*serve, name, "--port", "0", "--json")) for name in models]
        served = [f"{name}={json.loads(line)['url']}" for name, line in zip(models, lines, strict=True)]
        yield Proxy(
            stack.enter_context(_running("benchmarks.soundness.faults.proxy", *served, "--seed", str(seed)))
        )


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({} if value is None else {name: value})


@contextmanager
def _running(*module: str) -> Iterator[str]:
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
