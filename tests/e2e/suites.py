"""A small suite of every kind, made anew in a folder."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import invoke
from tests.e2e.test_answers import tasks
from tests.tools.kinds.enterprise.small_world import write_small_world
from worksmith.evals.suite import write_suite
from worksmith.tools.environment import Environment

_COMMANDS = {
    "office": ("suite", "build", "office", "--scale", 0.3, "--per-intent", 3, "--out"),
    "crm": ("suite", "build", "crm", "--scale", 0.02, "--out"),
    "own data": ("new",),
}
KINDS = (*_COMMANDS, "enterprise")


def make_suite(kind: str, folder: Path) -> Path:
    """Make a suite of a kind in a new folder."""
    if kind == "enterprise":
        world = write_small_world(folder)
        return write_suite(world, tasks(Environment(world, sandboxes=1))).path
    result = invoke(*_COMMANDS[kind], folder)
    assert result.exit_code == 0, result.output
    return folder
