"""What a user meets first: help, completion of the reference, errors."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from docs.reference import TARGET, reference
from tests.e2e.conftest import invoke
from tests.stores import new_store

HEAVY = {"dspy", "mlflow", "numpy", "pandas", "chromadb", "sentence_transformers", "apsw", "rich"}
HEAVY.add("urllib.request")
OURS = {"worksmith.cli.options", "worksmith.jobs", "worksmith.models"}
LOADED = """
import sys
from worksmith.cli import main
sys.argv[0] = "worksmith"
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def worksmith(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "worksmith.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def loaded(*arguments: str, folder: Path | None = None, **environment: str) -> set[str]:
    """The modules that a command line loads."""
    command = [sys.executable, "-c", LOADED, *arguments]
    env = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env, cwd=folder)
    return {*done.stderr.split()}


def test_help_loads_no_heavy_package_and_no_command() -> None:
    assert not loaded("--help") & (HEAVY | OURS | {"pydantic"})


def test_completion_of_commands_loads_no_heavy_package_and_no_command() -> None:
    found = loaded(_WORKSMITH_COMPLETE="complete_bash", COMP_WORDS="worksmith c", COMP_CWORD="1")

    assert not found & (HEAVY | OURS)


def test_a_command_in_a_project_loads_only_what_the_project_names(tmp_path: Path) -> None:
    (tmp_path / "worksmith.toml").write_text('[defaults]\nsuite = "."\n[defaults.compile]\nout = "x"\n')
    commands = {
        each
        for each in loaded("eval", "--help", folder=tmp_path)
        if each.startswith("worksmith.cli.programs.")
    }

    assert commands == {"worksmith.cli.programs.compile"}


def test_every_command_is_in_the_reference() -> None:
    assert TARGET.read_text() == reference(), "run `make docs`"


BAD = [
    (["suite", "info", "nowhere"], "no suite here"),
    (["suite", "build", "castle", "--out", "x"], "no task kind 'castle'"),
    (["suite", "import", "workbench", "nowhere", "--out", "x"], "no such directory"),
    (["eval", "nowhere"], "no suite here"),
    (["score", "nowhere"], "nothing to score"),
    (["judge", "nowhere"], "neither a file nor a run"),
    (["bank", "show", "nowhere"], "cannot read a trace bank"),
    (["compare", "nowhere"], "no suite here"),
]
IN_ONE_PROCESS = """
import json, sys
from worksmith.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        print(f"exit {end.code}, dspy {'dspy' in sys.modules}", file=sys.stderr)
"""


@pytest.mark.slow
def test_bad_input_ends_with_code_2_and_a_sentence(tmp_path: Path) -> None:
    words = json.dumps([arguments for arguments, _ in BAD])
    command = [sys.executable, "-c", IN_ONE_PROCESS, words]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    lines = result.stderr.splitlines()

    assert [line.partition(": ")[0] for line in lines[::2]] == ["worksmith"] * len(BAD), result.stderr
    for line, (_, said) in zip(lines[::2], BAD, strict=True):
        assert said in line
    # The optimizers that `compare` chooses from are made with DSPy.
    assert lines[1::2] == ["exit 2, dspy False"] * (len(BAD) - 1) + ["exit 2, dspy True"]
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_the_packages() -> None:
    from worksmith import __version__

    assert invoke("--version").output.strip() == f"worksmith {__version__}"


def test_completion_offers_what_there_is() -> None:
    from worksmith.jobs.settings.groups.programs import OPTIMIZERS, PARTS, STRATEGIES
    from worksmith.optimizers.registry import OPTIMIZERS as REGISTERED
    from worksmith.optimizers.settings import PARTS as RACED
    from worksmith.programs.strategies import STRATEGIES as KNOWN

    assert tuple(STRATEGIES) == tuple(KNOWN)
    assert sorted(OPTIMIZERS) == sorted(REGISTERED)
    assert PARTS == RACED


@pytest.mark.slow
def test_who_ends_a_run_is_told_how_it_goes_on(office: Path, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    options = ("--lm", "gold", "--strategy", "gold", "--split", "all", "--trials", "50")
    command = [sys.executable, "-m", "worksmith.cli", "eval", str(office), "--log", str(log), *options]
    new_store(tmp_path / "mlruns" / "mlflow.db")
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    while process.poll() is None and not (log.exists() and log.stat().st_size):
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=60)

    assert process.returncode == 128 + signal.SIGTERM
    assert said.splitlines() == ["worksmith: interrupted; --resume continues commands that have it"]
    assert log.read_bytes().endswith(b"\n")  # what was finished is kept, and nothing is torn
    assert {file.name for file in tmp_path.iterdir()} == {"a.jsonl", "a.card.json", "mlruns"}
    with closing(sqlite3.connect(tmp_path / "mlruns" / "mlflow.db")) as store:
        assert store.execute("SELECT status FROM runs").fetchall() == [("KILLED",)]


def test_a_wrong_optimizer_is_blamed_on_the_option_that_names_it(office: Path) -> None:
    result = invoke("compare", office, "--optimizers", "knnn", "--no-track")

    assert "--optimizers: no optimizer 'knnn'" in str(result.exception)


def test_scores_fit_80_columns_uncut(office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    tasks = [json.loads(line) for line in (office / "tasks.jsonl").read_text().splitlines()]
    actions = [
        [{"name": a["tool"], "arguments": a["arguments"]} for a in t.get("expected", ())] for t in tasks
    ]
    rows = [{"task_id": task["id"], "actions": actions[number]} for number, task in enumerate(tasks[:3])]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = invoke("score", office, "--predictions", tmp_path / "p.jsonl").stdout

    assert "…" not in shown
    assert "100.0 [43.9, 100.0]" in shown
    assert max(map(len, shown.splitlines())) <= 80
