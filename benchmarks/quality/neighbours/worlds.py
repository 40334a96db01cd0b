"""The suites that neighbours run, and the server of the model that does their tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.quality.neighbours.replies import SUITES
from worksmith.jobs.building import build
from worksmith.jobs.project import new_project
from worksmith.jobs.settings.suites import BuildSettings, NewSettings

ENGINE = "benchmarks.quality.neighbours.replies:engine"
"""The name of the model."""

_BUILT: dict[str, dict[str, Any]] = {
    "office": {"scale": 0.3, "options": {"per_intent": 3}},
    "enterprise": {"scale": 0.02, "index": "static"},
    "crm": {"scale": 0.05},
}
_OWN = "own_data"


@dataclass(frozen=True)
class Model:
    """The served model, for clients of OpenAI's chat API.

    Attributes:
        name: by which clients ask for it.
    """

    name: str
    url: str
    key: str


def worlds(folder: Path, *, quick: bool) -> dict[str, Path]:
    """Folders of suites by the kind of their world; only of own data if `quick`."""
    made = {name: folder / name for name in ([] if quick else _BUILT)}
    for name, out in made.items():
        build(BuildSettings(kind=name, out=out, **_BUILT[name]))
    return {**made, _OWN: new_project(NewSettings(folder=folder / _OWN)).folder}


@contextmanager
def served(suites: Mapping[str, Path]) -> Iterator[Model]:
    """The model in a process of its own."""
    folders = os.pathsep.join(str(folder.resolve()) for folder in suites.values())
    key = "a-key-of-the-benchmark"
    environment = {**os.environ, SUITES: folders, "WORKSMITH_SERVE_TOKEN": key}
    command = [sys.executable, "-m", "worksmith.cli", "serve", "model", ENGINE, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            yield Model(ENGINE, json.loads(process.stdout.readline())["url"], key)
        finally:
            process.terminate()
