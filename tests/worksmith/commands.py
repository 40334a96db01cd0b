"""Commands in this process, as tests call them."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner, Result

from worksmith.cli.app import app
from worksmith.evals.progress.progress import Progress


def called(*words: object, **more: Any) -> Result:
    """The result of a command; what it raises is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], **more)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def shown(*words: object) -> str:
    """What a command prints which ends well."""
    result = called(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def printed(*words: object) -> Any:
    """The JSON that a command prints which ends well."""
    return json.loads(shown(*words, "--json"))


def run(*words: object) -> Result:
    """The result of `worksmith compile`, untracked."""
    return called("compile", *words, "--no-track")


class Heard(Progress):
    """Keeps the sentences of a job."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, message: str) -> None:
        self.said.append(message)
