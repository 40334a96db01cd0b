"""Judging through the command line: while episodes run, and afterwards from their log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.chat_server import ChatServer, chat_server, said
from tests.e2e.conftest import invoke

pytestmark = pytest.mark.slow
RUBRIC = """
name: done
criterion: Was it done?
levels: {1: No., 2: Hardly., 3: In part., 4: Almost., 5: Yes.}
"""
LEVEL = "[[ ## feedback ## ]]\nIt was.\n\n[[ ## level ## ]]\n4\n\n[[ ## completed ## ]]"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield server


def run(office: Path, log: Path, *options: object) -> dict[str, object]:
    command = ("eval", office, "--lm", "gold", "--strategy", "gold", "--limit", 4, "--no-track", "--json")
    result = invoke(*command, "--log", log, *options)
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)["runs"][0]["summary"]
    return found


def fresh_model() -> str:
    """A name by which no cache holds anything."""
    return f"openai/judge-{uuid4().hex[:8]}"


def lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_an_evaluation_is_judged_as_it_runs(office: Path, here: Path) -> None:
    summary = run(office, here / "a.jsonl", "--judge", "local/rubric")
    judging = summary["judging"][0]  # type: ignore[index]
    assert (judging["judge"], judging["score"]["value"], judging["failed"]) == ("local/rubric", 1.0, 0)
    assert summary["scores"]["judge"]["value"] == 1.0  # type: ignore[index]


def test_a_judge_that_gives_no_verdict_at_all_fails_the_run_and_says_so(
    office: Path, here: Path, server: ChatServer
) -> None:
    server.say(*[said("no verdict")] * 20)
    asked = ("eval", office, "--lm", "gold", "--strategy", "gold", "--limit", 2, "--workers", 1, "--no-track")
    model = fresh_model()
    result = invoke(*asked, "--judge", model)
    assert result.exit_code == 1
    assert f"2 of 2 verdicts of {model} could not be had" in " ".join(result.stdout.split())
    assert "100.0" in result.stdout


def test_a_comparison_shows_what_a_judge_says_of_each_program(office: Path, here: Path) -> None:
    command = ("compare", office, "--strategies", "gold", "--optimizers", "none", "--lm", "gold")
    result = invoke(*command, "--limit", 3, "--judge", "local/rubric", "--no-track", "--verbose")
    assert result.exit_code == 0, result.output
    told = result.stdout[result.stdout.index("Judged by local/rubric") :]
    assert told.count("(0/3)") == 3
    assert "local/rubric is not a language model" in told


def test_one_episode_is_judged_as_it_is_shown(office: Path, here: Path) -> None:
    task = json.loads((office / "tasks.jsonl").read_text().splitlines()[0])["id"]
    command = ("run", office, task, "--lm", "gold", "--strategy", "gold", "--judge", "local/rubric")
    assert "local/rubric by outcome: level 5 of 5" in invoke(*command).stdout
    (verdict,) = json.loads(invoke(*command, "--json").stdout)["judgements"]
    assert (verdict["status"], verdict["level"]) == ("ok", 5)


def test_a_finished_run_is_judged_from_its_log(office: Path, here: Path) -> None:
    log = here / "a.jsonl"
    run(office, log)
    before = log.read_bytes()
    dry = invoke("judge", log, "--dry-run", "--json")
    assert json.loads(dry.stdout)[0]["verdicts"] == 4
    assert not (here / "a.judgements.jsonl").exists()
    judged = invoke("judge", log, "--json")
    assert judged.exit_code == 0, judged.output
    (found,) = json.loads(judged.stdout)[0]["judging"]
    assert (found["verdicts"], found["passed"]["value"]) == (4, 1.0)
    assert log.read_bytes() == before
    assert len(lines(here / "a.judgements.jsonl")) == 4


def test_judging_goes_on_where_it_stopped_and_asks_again_for_what_failed(
    office: Path, here: Path, server: ChatServer
) -> None:
    log, verdicts = here / "a.jsonl", here / "a.judgements.jsonl"
    run(office, log)
    (here / "rubric.yaml").write_text(RUBRIC)
    command = ("judge", log, "--judge", fresh_model(), "--rubric", here / "rubric.yaml", "--workers", 1)
    server.say(said(LEVEL), said(LEVEL), *[{"error": 400}] * 2)
    stopped = invoke(*command)
    assert stopped.exit_code == 0, stopped.output
    assert "2 of 4 verdicts could not be had" in stopped.stderr
    assert "(2/4)" in stopped.stdout
    torn = verdicts.read_bytes()
    verdicts.write_bytes(torn + b'{"key": "half')
    assert json.loads(invoke(*command, "--dry-run", "--json").stdout)[0]["model_calls"] == 2
    asked = len(server.bodies)
    server.say(said(LEVEL), said(LEVEL))
    finished = invoke(*command, "--json")
    assert finished.exit_code == 0, finished.output
    (found,) = json.loads(finished.stdout)[0]["judging"]
    assert (found["statuses"], found["score"]["value"], found["rubrics"]) == ({"ok": 4}, 0.75, ["done"])
    assert len(server.bodies) == asked + 2
    assert "Was it done?" in server.messages[-1]["content"]


def test_an_outage_is_no_verdict_on_a_judge(here: Path, server: ChatServer) -> None:
    label = {"request": "Who?", "facts": ["Cy Hart"], "response": "Cy Hart", "level": 5}
    (here / "labels.jsonl").write_text(json.dumps(label) + "\n")
    server.say(*[{"error": 401}] * 4)
    result = invoke("judge", "calibrate", "--labels", here / "labels.jsonl", "--judge", fresh_model())
    assert result.exit_code == 1
    assert "gave no verdict" in str(result.exception or result.output)
    assert not list(here.rglob("mlruns/judges/*"))


def test_labels_of_ones_own_measure_a_judge(here: Path) -> None:
    label = {"request": "Who?", "facts": ["Cy Hart"], "response": "Cy Hart", "level": 5}
    (here / "labels.jsonl").write_text(json.dumps(label) + "\n" + json.dumps({**label, "level": 1}) + "\n")
    result = invoke("judge", "calibrate", "--labels", here / "labels.jsonl", "--json")
    assert result.exit_code == 1
    (verdict,) = json.loads(result.stdout)
    assert not verdict["passed"]
    assert "cases is 2, not at least 50" in verdict["failed"]
    (kept,) = (here / "mlruns" / "judges").glob("*.json")
    assert json.loads(kept.read_text())["digest"] == verdict["digest"]


def test_planted_cases_can_be_kept_and_measured_by_again(office: Path, here: Path) -> None:
    labels = here / "labels.jsonl"
    planted = invoke(
        "judge", "calibrate", "--planted", office, "--cases", 60, "--save-labels", labels, "--json"
    )
    again = invoke("judge", "calibrate", "--labels", labels, "--json")
    assert planted.exit_code == again.exit_code == 0, planted.output
    first, second = (json.loads(result.stdout)[0] for result in (planted, again))
    assert first["labels"] == second["labels"]
    assert len(lines(labels)) == 60


def test_the_effort_of_measuring_is_said_before(office: Path, here: Path) -> None:
    command = ("judge", "calibrate", "--planted", office, "--cases", 60, "--dry-run", "--json")
    (plan,) = json.loads(invoke(*command, "--judge", "openai/judge-3").stdout)
    assert plan["model_calls"] >= 60 + 40
    assert plan["prompt_tokens_about"] > 60 * 500


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--judge", "nobody"), "no judge 'nobody'"),
        (("--judge", "local/rubric", "--judge", "local/rubric"), "named twice"),
        (("--judge", "median:openai/a"), "does not name several judges"),
        (("--rubric", "r.yaml"), "rubrics are for judges"),
    ],
)
def test_judges_that_make_no_sense_are_said(
    office: Path, here: Path, options: tuple[str, ...], said: str
) -> None:
    assert said in str(invoke("eval", office, "--dry-run", *options).exception)
