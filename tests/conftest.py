"""What every test starts from."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from tests import made_once
from tests.chat_server import ChatServer, chat_server
from tests.stores import copy_new_stores
from worksmith.evals.lm import named
from worksmith.models.named import use_models
from worksmith.retrievers.texts import pdf

FORKING = {
    *("tests/e2e/test_docs.py", "tests/e2e/test_kills.py", "tests/e2e/test_shared_stores.py"),
    "tests/retrievers/test_server.py",
}
"""What starts processes by `docs.snippets.forks`, whose server takes seconds to start."""

# A language model takes seconds for what most tests need in passing. Where they name no model, as users may,
# the stand-in answers: this comes before any module reads the default. Processes of their own have `--lm`.
named.DEFAULT = "tests.standin:lm"

# Compiled modules are kept whatever the environment says: tests start many processes.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Replies of earlier runs, and of the person who runs the tests, are none of theirs.
os.environ["DSPY_CACHEDIR"] = tempfile.mkdtemp(prefix="replies-of-tests-")
atexit.register(shutil.rmtree, os.environ["DSPY_CACHEDIR"], ignore_errors=True)

# What no file of replies has; see docs/replies.py.
if "RECORD_REPLIES" not in os.environ:
    os.environ["RECORD_REPLIES"] = str(Path(os.environ["DSPY_CACHEDIR"]) / "new-replies.jsonl")

# Worlds and documents of seconds are made and read once for all processes of a run.
if (folder := made_once.start()) is not None:
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
pdf.pages = made_once.read_once(pdf.pages)

# How long an example takes is the machine's, which may be busy; a deadline makes tests fail now and then.
settings.register_profile("worksmith", deadline=None, max_examples=25, database=None)
settings.load_profile("worksmith")


# Modules and tests stay to the end: no garbage is looked for while they are collected.
gc.disable()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadfile`, all that fork run in one process, with one server of forks."""
    if config.getoption("dist") != "loadfile":
        return None
    files = LoadFileScheduling(config, log)
    of_file = files._split_scope
    files._split_scope = lambda test: "forks" if of_file(test) in FORKING else of_file(test)
    return files


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no process runs one alone at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Make MLflow's stores quickly; keep modules and tests out of garbage collections, which come seldom."""
    if "mlflow" in sys.modules:
        copy_new_stores()
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many replies had to come from the model itself."""
    new = Path(os.environ["RECORD_REPLIES"])
    if "PYTEST_XDIST_WORKER" not in os.environ and new.is_file():
        count = len(new.read_bytes().splitlines())
        terminalreporter.write_line(f"{count} replies of the model are not recorded: `make replies`")


@pytest.fixture(autouse=True)
def _no_named_models() -> Iterator[None]:
    """Models that a test names are not known to the next."""
    yield
    use_models({})


@pytest.fixture(autouse=True)
def _own_tracking_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """MLflow keeps the settings of one test in the environment, where the next would find them."""
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_ID"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A server of a model, whose address a test names itself."""
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with chat_server() as running:
        yield running


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The environment of `tests.evals.help_desk`."""
    from tests.evals import help_desk

    return help_desk.env(tmp_path_factory.mktemp("desk"))
