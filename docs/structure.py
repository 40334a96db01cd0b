"""Write the generated parts of docs/architecture.md: imports, and two walks. `python -m docs.structure`."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from unittest.mock import patch

import dspy
import grimp
from dspy.lm15 import Message, Request, Response, Usage
from typer.testing import CliRunner

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
OURS = {"worksmith", "optimizers", "programs", "evals", "tools", "retrievers"}
NAME = "docs.structure:MODEL"
COMMANDS = {
    "eval": f"eval desk --lm {NAME} --limit 1 --no-track",
    "compile": f"compile desk --lm {NAME} --teacher {NAME} --optimizer bootstrap --out p.json --no-track",
}

Call = tuple[str, str]
"""A file and a function in it."""


class _Probe:
    """A model that answers nothing useful, and notes through which calls it was asked."""

    def __init__(self) -> None:
        self.walk: list[Call] = []

    def complete(self, request: Request) -> Response:
        self.walk = self.walk or [
            *getattr(threading.current_thread(), "calls", []),
            *_calls(sys._getframe(1)),
        ]
        reply, usage = Message.assistant("no"), Usage(input_tokens=1, output_tokens=1, total_tokens=2)
        return Response(id="", model="probe", message=reply, finish_reason="stop", usage=usage)


PROBE = _Probe()
MODEL = dspy.LM("probe/probe", engine=PROBE)


def _calls(frame: FrameType | None) -> list[Call]:
    """The calls of functions of ours that led to a frame, the first one first."""
    found: list[Call] = []
    while frame is not None:
        file = Path(os.path.realpath(frame.f_code.co_filename))
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in OURS:
            found.append((file.relative_to(ROOT).as_posix(), frame.f_code.co_qualname))
        frame = frame.f_back
    return found[::-1]


@contextmanager
def _threads_know_their_start() -> Iterator[None]:
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        earlier = getattr(threading.current_thread(), "calls", [])
        thread.calls = [*earlier, *_calls(sys._getframe(1))]  # type: ignore[attr-defined]
        start(thread)

    with patch.object(threading.Thread, "start", started):
        yield


def walk(command: str) -> list[Call]:
    """The functions of ours between a command and the first request to a model."""
    from worksmith.cli.app import app

    PROBE.walk = []
    here = Path.cwd()
    with TemporaryDirectory() as folder, _threads_know_their_start():
        os.chdir(folder)
        try:
            CliRunner().invoke(app, ["new", "desk"])
            CliRunner().invoke(app, command.split())
        finally:
            os.chdir(here)
    return PROBE.walk


def walk_text(name: str) -> str:
    """A walk as a block of text, a line for each file that it enters."""
    calls = walk(COMMANDS[name])
    lines = [
        f"{file}: {', '.join(each.replace('.<locals>', '') for _, each in functions)}"
        for file, functions in groupby(calls, key=lambda call: call[0])
    ]
    command = COMMANDS[name].replace(NAME, "MODEL")
    return "\n".join([f"`worksmith {command}`, {len(calls)} calls:", "", "```text", *lines, "```"])


def imports_text() -> str:
    """The packages as a drawing: an arrow for each import that no chain of other arrows stands for."""
    graph = grimp.build_graph("worksmith")
    packages = sorted(graph.find_children("worksmith"))
    for package in packages:
        if graph.find_children(package):
            graph.squash_module(package)
    for name in graph.find_modules_directly_imported_by("worksmith"):
        graph.remove_import(importer="worksmith", imported=name)  # public names are loaded when they are used
    above = {
        each: {other for other in packages if other != each and graph.chain_exists(other, each)}
        for each in packages
    }
    lines = ["```mermaid", "graph TD"]
    for package in packages:
        direct = graph.find_modules_directly_imported_by(package) & set(packages) - {package}
        short = {each for each in direct if not above[each] & direct}
        lines += [f"    {_short(package)} --> {_short(each)}" for each in sorted(short)]
    return "\n".join([*lines, "```"])


def _short(package: str) -> str:
    return package.removeprefix("worksmith.")


def page() -> str:
    """The page with its generated parts anew."""
    text = PAGE.read_text(encoding="utf-8")
    parts = {"imports": imports_text(), **{name: walk_text(name) for name in COMMANDS}}
    for name, part in parts.items():
        marked = rf"(<!-- generated: {name} -->\n).*?(\n<!-- end -->)"
        text = re.sub(marked, lambda found, part=part: found[1] + part + found[2], text, flags=re.S)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    from docs import structure  # the module that `--lm` names

    PAGE.write_text(structure.page(), encoding="utf-8")
