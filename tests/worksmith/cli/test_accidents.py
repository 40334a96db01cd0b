"""What accidents come to: files that others write, runs that were killed, disks that are full."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path

import pytest

from tests.evals.episodes import make_record
from tests.worksmith.commands import called
from worksmith import cli
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.files.locking import InUseError, Lock
from worksmith.tools.files.sealed_lines import sealed

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_two_evaluations_never_write_one_log(suite: Suite, here: Path, options: list[str]) -> None:
    command = ["eval", suite.path, "--limit", 1, "--log", "log.jsonl", *options]
    with (
        EpisodeLog.open(here / "log.jsonl"),
        pytest.raises(InUseError, match=rf"log\.jsonl: process {os.getpid()} is at work here \(wait"),
    ):
        called(*command)

    assert not (here / "mlruns").exists()  # it was said before anything began
    called(*command, "--no-track")
    assert len(list(read_log(here / "log.jsonl"))) == 1


def test_two_comparisons_never_pay_for_the_same(suite: Suite, here: Path) -> None:
    command = ["compare", suite.path, "--limit", 1, "--strategies", "act", "--optimizers", "none"]
    called(*command, "--no-track")
    (folder,) = (here / "mlruns" / "logs").glob("compare-*")
    before = {file: file.read_bytes() for file in folder.glob("*.jsonl")}
    with Lock(folder / "lock", folder), pytest.raises(InUseError, match=f"process {os.getpid()} is at work"):
        called(*command)

    assert {file: file.read_bytes() for file in folder.glob("*.jsonl")} == before


def test_two_judgings_never_pay_for_the_same(suite: Suite, here: Path) -> None:
    called("eval", suite.path, "--limit", 1, "--log", "log.jsonl", "--no-track")
    verdicts = here / "log.judgements.jsonl"
    with (
        Lock(verdicts.with_name(verdicts.name + ".lock"), verdicts),
        pytest.raises(InUseError, match=rf"log\.judgements\.jsonl: process {os.getpid()} is at work here"),
    ):
        called("judge", "run", "log.jsonl", "--judge", "local/rubric")


@pytest.mark.filterwarnings("ignore::worksmith.tools.errors.Notice")
@pytest.mark.parametrize("data", ['{"key": "a', '{"key": "a"}\n', "nonsense\n"])
def test_a_log_with_nothing_but_a_bad_line_is_no_run_of_no_episodes(here: Path, data: str) -> None:
    (here / "log.jsonl").write_text(data)
    for command in ("report", "episodes"):
        with pytest.raises(InputError, match=r"log\.jsonl"):
            called(command, "log.jsonl")


def test_a_torn_last_line_is_said_in_a_sentence(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = log_line(make_record(1))
    (here / "log.jsonl").write_bytes(good + good[:50])
    monkeypatch.setattr("sys.argv", ["worksmith", "episodes", "log.jsonl"])
    monkeypatch.setattr("warnings.showwarning", None)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with pytest.raises(SystemExit) as ended:
            cli.main()

    assert not ended.value.code
    assert capsys.readouterr().err == (
        "worksmith: log.jsonl:2: the last line is not whole and is left out (50 bytes): a run was killed\n"
    )


def test_a_damaged_line_of_a_log_is_named_with_its_field(here: Path) -> None:
    good = log_line(make_record(1))
    other = sealed(make_record(1).model_dump_json().replace("task_id", "task").encode())
    (here / "log.jsonl").write_bytes(good + other + good)
    with pytest.raises(InputError, match=r"log\.jsonl:2: not an episode record: task_id: Field required"):
        called("episodes", "log.jsonl")


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "suite", "--lm", "replay:FIFO"],
        ["eval", "suite", "--program", "FIFO"],
        ["eval", "suite", "--prices", "FIFO", "--max-usd", "1"],
        ["eval", "suite", "--rubric", "FIFO", "--judge", "local/rubric"],
        ["compile", "suite", "--out", "o.json", "--bank", "FIFO"],
        ["score", "suite", "--predictions", "FIFO"],
        ["report", "FIFO"],
        ["verify", "FIFO"],
        ["suite", "info", "fifos"],
        ["index", "fifos", "--check"],
    ],
    ids=lambda command: " ".join(command[:4]),
)
def test_nothing_waits_for_a_fifo_or_reads_a_device_for_ever(
    suite: Suite, here: Path, command: list[str]
) -> None:
    (here / "suite").symlink_to(suite.path)
    (here / "fifos").mkdir()
    named = "a.jsonl" if command[0] in ("score", "report") else "a.json"
    options = ["--no-track"] if command[0] in ("eval", "compile") else []
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        for name in ("fifos/manifest.json", "fifos/world.json", "fifos/tasks.jsonl", "a.jsonl", "a.json"):
            (here / name).unlink(missing_ok=True)
            make(here / name)
        with pytest.raises((InputError, WorksmithError)) as caught:
            called(*[part.replace("FIFO", named) for part in command], *options)
        assert "a.js" in str(caught.value) or "fifos" in str(caught.value)


DEEP, SURROGATE, TWICE = "[" * 100_000, '{"format": "\\ud800"}', '{"kind": "a", "kind": "a"}'


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("suite/world.json", ["suite", "info", "suite"]),
        ("suite/manifest.json", ["suite", "info", "suite"]),
        ("suite/tasks.jsonl", ["suite", "info", "suite"]),
        ("program.json", ["eval", "suite", "--program", "program.json", "--no-track"]),
        ("bank.jsonl", ["compile", "suite", "--out", "o.json", "--bank", "bank.jsonl", "--no-track"]),
        ("o.json.journal/compile.json", ["compile", "suite", "--out", "o.json", "--resume", "--no-track"]),
        ("recording.jsonl", ["eval", "suite", "--lm", "replay:recording.jsonl", "--no-track"]),
        ("predictions.jsonl", ["score", "suite", "--predictions", "predictions.jsonl"]),
        ("log.jsonl", ["report", "log.jsonl"]),
        ("log.jsonl", ["eval", "suite", "--log", "log.jsonl", "--resume", "--no-track"]),
        ("good.card.json", ["episodes", "good.jsonl"]),
        ("good.judgements.jsonl", ["episodes", "good.jsonl"]),
        ("labels.jsonl", ["judge", "calibrate", "--judge", "local/rubric", "--labels", "labels.jsonl"]),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_json_that_misleads_or_exhausts_is_refused_by_name(
    suite: Suite, here: Path, file: str, command: list[str]
) -> None:
    shutil.copytree(suite.path, here / "suite")
    (here / "good.jsonl").write_bytes(log_line(make_record(1)))
    (here / file).parent.mkdir(exist_ok=True)
    for text in (DEEP, SURROGATE, TWICE):
        (here / file).write_text(text + "\n")
        with pytest.raises(InputError) as caught:
            called(*command)

        assert file in str(caught.value)
        assert "\n" not in str(caught.value)
