"""`worksmith verify`, and what `worksmith compile` leaves for it, from the command line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests import standin
from tests.worksmith.commands import called, run
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.files.sealed_lines import sealed, sealed_lines

ROOT = Path(__file__).parents[3]
SMALL = ("--lm", "gold", "--demos", "4", "--candidates", "2", "--train-limit", "6", "--dev-limit", "3")


@pytest.fixture(scope="module")
def compiled(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("compiled") / "program.json"
    run(suite.path, "--out", file, "--optimizer", "dspy:BootstrapFewShot", *SMALL)
    return file


@pytest.fixture
def program(compiled: Path, tmp_path: Path) -> Path:
    """A compiled program and its journal, to do with what one likes."""
    shutil.copytree(compiled.parent, tmp_path / "here")
    return tmp_path / "here" / compiled.name


def verify(*arguments: object) -> tuple[Result, dict[str, Any]]:
    done = called("verify", *arguments, "--json")
    return done, json.loads(done.stdout)


def redescribe(program: Path, **changed: Any) -> None:
    """Change what the journal of a program says of its compile."""
    description = Path(f"{program}.journal") / "compile.json"
    said = json.loads(description.read_text())
    for name, value in changed.items():
        said[name] = {**said[name], **value} if name == "fingerprint" else value
    description.write_text(json.dumps(said))


def test_a_program_is_derived_from_its_journal(program: Path) -> None:
    done, found = verify(program)

    assert done.exit_code == 0
    assert found["identical"]
    assert found["derived"] == found["digest"] == Artifact.read(program).digest
    assert found["differs"] == found["lacks"] == []


def test_another_program_is_told_apart(suite: Suite, program: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    options = ("--lm", "gold", "--optimizer", "dspy:BootstrapFewShot")
    run(suite.path, "--out", other, *options, *SMALL, "--seed", 1)
    done, found = verify(other, "--journal", f"{program}.journal")

    assert done.exit_code == 1
    assert not found["identical"]
    assert "settings.seed" in found["differs"]
    assert "what differs is" in done.stderr


def edit_sealed(file: Path, old: bytes, new: bytes) -> None:
    """Replace what is in the lines of a file, with checksums that fit."""
    lines = [line.data for line in sealed_lines(file, "a log")]
    assert any(line and old in line for line in lines)
    file.write_bytes(b"".join(sealed(line.replace(old, new)) for line in lines if line))


BOOTSTRAP = "student/dev-bootstrap.jsonl"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"outcome":1.0', b'"outcome":0.0'),
        (b'"prompt_tokens":', b'"prompt_tokens":1'),
        (b'"status":"finished"', b'"status":"model_error"'),
    ],
)
def test_a_log_that_was_tampered_with_is_noticed(program: Path, old: bytes, new: bytes) -> None:
    """Although nothing is taken from it: readers are to know that it is no account of the episodes."""
    edit_sealed(Path(f"{program}.journal") / BOOTSTRAP, old, new)
    done, found = verify(program)

    assert done.exit_code == 1
    assert found["identical"]
    assert found["logs"]
    assert all(said.startswith(BOOTSTRAP) for said in found["logs"])


def test_a_reply_that_was_tampered_with_leads_elsewhere(program: Path) -> None:
    file = Path(f"{program}.journal") / "replies.jsonl"
    edit_sealed(file, b"calendar.search_events", b"calendar.search_Events")
    done, found = verify(program)

    assert done.exit_code == 1
    assert not found["identical"]


def test_a_falsified_score_is_not_believed(suite: Suite, tmp_path: Path) -> None:
    """Neither in the journal nor in the program that a resume writes from it."""
    file = tmp_path / "p.json"
    told = ("--out", file, "--optimizer", "none", *SMALL)
    run(suite.path, *told)
    whole = Artifact.read(file)
    assert whole.manifest.trials[0]["outcome"]["value"] == 1.0
    log = Path(f"{file}.journal") / "student" / "dev-uncompiled.jsonl"
    edit_sealed(log, b'"outcome":1.0', b'"outcome":0.0')
    assert verify(file)[1]["logs"]

    file.unlink()
    run(suite.path, *told, "--resume")
    assert Artifact.read(file).manifest.trials[0]["outcome"]["value"] == 0.0
    done, found = verify(file)
    assert done.exit_code == 1
    assert not found["identical"]
    assert found["derived"] == whole.digest
    assert "trials" in found["differs"]
    assert "scores.outcome is 0.0, not 1.0" in found["logs"][0]


def test_a_score_that_was_edited_carelessly_is_run_again(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    told = ("--out", file, "--optimizer", "none", *SMALL)
    run(suite.path, *told)
    whole = file.read_bytes()
    log = Path(f"{file}.journal") / "student" / "dev-uncompiled.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"outcome":1.0', b'"outcome":0.0', 1))
    said = verify(file)[1]["logs"]
    assert len(said) == 1
    assert said[0].startswith("student/dev-uncompiled.jsonl:1: not an episode record: its content")

    file.unlink()
    with pytest.warns(Notice, match=r"dev-uncompiled.jsonl:1: what is there does not fit its checksum"):
        run(suite.path, *told, "--resume")
    assert json.loads(file.read_bytes())["digest"] == json.loads(whole)["digest"]
    assert verify(file)[1]["logs"] == []


def test_code_that_a_journal_names_as_its_model_is_run_only_for_who_names_it(
    suite: Suite, tmp_path: Path
) -> None:
    file = tmp_path / "p.json"
    run(suite.path, "--out", file, "--optimizer", "none", *SMALL, "--lm", standin.NAME)

    with pytest.raises(InputError, match="if you trust it, name it yourself"):
        verify(file)
    assert verify(file, "--lm", standin.NAME)[1]["identical"]


def test_a_program_that_was_tampered_with_is_noticed(program: Path) -> None:
    said = json.loads(program.read_text())
    said["manifest"]["lm"] = "openai/another"
    program.write_text(json.dumps(said))
    with pytest.raises(InputError, match="differs from its digest"):
        verify(program)


def test_a_journal_that_lacks_replies_says_so(program: Path) -> None:
    file = Path(f"{program}.journal") / "replies.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:5]))
    done, found = verify(program)

    assert done.exit_code == 1
    assert not found["identical"]
    assert any("no reply of scripted/gold" in lack for lack in found["lacks"])


def test_what_makes_no_sense_is_bad_input(program: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ((program, "--journal", tmp_path), "no journal of a compile"),
        ((program, "--suite", tmp_path), "no suite here"),
        ((Path(f"{program}.journal") / "compile.json",), "its format is"),
    ):
        with pytest.raises(InputError, match=message):
            verify(*arguments)


@pytest.mark.parametrize("damaged", [[], 1, None])
def test_a_damaged_description_is_bad_input(program: Path, damaged: object) -> None:
    redescribe(program, origin=damaged)
    with pytest.raises(InputError, match="not a journal's description"):
        verify(program)


@pytest.mark.parametrize(
    "changed",
    [
        {"suite": -1},
        {"models": []},
        {"models": {"lm": {"name": 5}}},
        {"program": {"strategy": "react"}},
        {"settings": {"demos": 1e308}},
        {"settings": {"zzz": 1}},
        {"settings": []},
        {"train_limit": "many"},
        {"optimizer": ["race"]},
        {"where": 5},
        {"metric": {"maximize": []}},
    ],
)
def test_a_malformed_description_is_bad_input(program: Path, changed: dict[str, Any]) -> None:
    redescribe(program, fingerprint=changed)
    with pytest.raises(InputError):
        verify(program)


@pytest.mark.parametrize(
    "changed",
    [{"paid": {"paid_requests": "x"}}, {"paid": 5}, {"key": 5}, {"reply": 5}, {"zzz": 1}, {"reply": None}],
)
def test_a_malformed_reply_is_bad_input(program: Path, changed: dict[str, Any]) -> None:
    file = Path(f"{program}.journal") / "replies.jsonl"
    first, *others = (json.loads(line.data or b"") for line in sealed_lines(file, "replies"))
    lines = [{**first, **changed}, *others]
    file.write_bytes(b"".join(sealed(json.dumps(line).encode()) for line in lines))
    with suppress(InputError):
        assert not verify(program)[1]["identical"]


def test_a_suite_that_moved_is_named(suite: Suite, program: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(suite.path, moved)
    redescribe(program, origin={"suite": str(tmp_path / "gone")})

    with pytest.raises(InputError, match="give --suite"):
        verify(program)
    assert verify(program, "--suite", moved)[1]["identical"]


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with code of somebody else's, a project; `sprung` lies beside it once the code has run."""
    folder = tmp_path / "trap"
    folder.mkdir()
    (folder / "worksmith.toml").write_text("")
    for name in ("environment.py", "trapped.py"):
        (folder / name).write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.mark.parametrize(
    "in_description",
    [
        {"origin": "trap"},
        {"optimizer": "trapped:Own"},
        {"models": {"lm": {"name": "trapped:lm", "digest": "0"}}},
    ],
)
def test_a_journal_names_no_code(program: Path, trap: Path, in_description: dict[str, Any]) -> None:
    if "origin" in in_description:
        redescribe(program, origin={"suite": str(trap)})
    else:
        redescribe(program, fingerprint=in_description)
    with pytest.raises(InputError):
        verify(program)
    assert not (trap.parent / "sprung").exists()
    assert "trapped" not in sys.modules


def test_no_journal_is_kept_where_none_is_wanted(suite: Suite, tmp_path: Path) -> None:
    run(suite.path, "--out", tmp_path / "a.json", "--optimizer", "none", "--no-journal", *SMALL)

    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_compile_is_gone_on_with_only_as_it_was_begun(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    run(suite.path, "--out", file, "--optimizer", "none", *SMALL)
    whole = file.read_bytes()
    # As if it had been killed between the last reply and the last line.
    file.unlink()
    with pytest.raises(InputError, match="dev_limit was 3 and is 2"):
        run(suite.path, "--out", file, "--optimizer", "none", *SMALL, "--dev-limit", 2, "--resume")
    run(suite.path, "--out", file, "--optimizer", "none", *SMALL, "--resume")
    assert json.loads(file.read_text())["digest"] == json.loads(whole)["digest"]
    run(suite.path, "--out", file, "--optimizer", "none", *SMALL, "--resume")
    run(suite.path, "--out", file, "--optimizer", "none", *SMALL, "--dev-limit", 2, "--force")
    assert json.loads(file.read_text())["digest"] != json.loads(whole)["digest"]


@pytest.mark.slow
def test_the_second_of_two_compiles_is_told_who_is_at_work(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    command = [sys.executable, "-m", "worksmith.cli", "compile", str(suite.path), "--out", str(file), *SMALL]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [*command, "--workers", "1", "--no-track"], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL
    )
    journal = tmp_path / "a.json.journal"
    while process.poll() is None and not (journal / "replies.jsonl").exists():
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGSTOP)
    try:
        for option in ("--resume", "--force"):
            with pytest.raises(InputError, match=f"process {process.pid} is at work"):
                run(suite.path, "--out", file, *SMALL, option)
    finally:
        process.kill()
        process.wait()
    run(suite.path, "--out", file, *SMALL, "--resume")
    assert verify(file)[1]["identical"]
