"""Compiles in which judges take part: they report, and drive only what the gate lets them drive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests import standin
from tests.chat_server import chat_server, said
from tests.e2e.conftest import invoke

pytestmark = pytest.mark.slow
SMALL = ("--train-limit", 6, "--dev-limit", 4, "--candidates", 1, "--no-track", "--json")


def compiled(suite: Path, out: Path, *options: object) -> dict[str, Any]:
    result = invoke("compile", suite, "--out", out, *SMALL, *options)
    assert result.exit_code == 0, result.output
    manifest: dict[str, Any] = json.loads(out.read_text())["manifest"]
    return manifest


def test_a_judge_drives_only_with_a_pass_or_by_force(office: Path, here: Path) -> None:
    judged = ("--judge", "local/rubric", "--maximize", "judge")
    refused = invoke("compile", office, "--out", here / "a.json", *SMALL, *judged)
    assert "has not been measured" in str(refused.exception)
    silent = invoke("compile", office, "--out", here / "a.json", *SMALL, *judged[:2], "--force-judge")
    assert "judges only report" in str(silent.exception)
    forced = compiled(office, here / "b.json", *judged, "--force-judge")["metric"]
    assert (forced["maximize"], forced["forced"]) == ("judge", "yes")
    gate = here / "gate.json"
    measured = invoke("judge", "calibrate", "--planted", office, "--cases", 80, "--out", gate)
    assert measured.exit_code == 0, measured.output
    driven = compiled(office, here / "c.json", *judged, "--gate", gate)["metric"]
    assert (driven["maximize"], driven["gates"]) == ("judge", json.loads(gate.read_text())["digest"])
    records = [
        json.loads(line)["scores"]
        for log in (here / "c.json.journal").rglob("*.jsonl")
        for line in log.read_text().splitlines()
        if '"scores"' in line and '"checked_outcome"' in line
    ]
    assert records
    assert all(scores["outcome"] == float(scores["judge"] >= 0.75) for scores in records)


def test_a_judge_that_only_reports_changes_no_outcome(office: Path, here: Path) -> None:
    alone = compiled(office, here / "alone.json")
    reported = compiled(office, here / "judged.json", "--judge", "local/rubric")
    assert not alone["metric"]
    assert reported["metric"]["maximize"] == "outcome"
    assert [t["outcome"] for t in reported["trials"]] == [t["outcome"] for t in alone["trials"]]


def test_what_a_judge_is_asked_in_a_compile_is_counted_and_never_paid_for_twice(
    office: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = said("[[ ## feedback ## ]]\nFine.\n\n[[ ## level ## ]]\n4\n\n[[ ## completed ## ]]")
    # A name of its own: what a model of that name has said is cached.
    name, prices = f"openai/{uuid4()}", here / "prices.toml"
    prices.write_text(f'["{name}"]\ninput = 1000000\noutput = 1000000\n')
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        server.say(*[level] * 100)
        options = ("--out", here / "a.json", *SMALL, "--judge", name, "--prices", prices)
        whole = invoke("compile", office, *options, "--max-usd", 100_000)
        assert whole.exit_code == 0, whole.output
        asked = len(server.bodies)
        assert asked > 0
        # Thirteen tokens a reply, at a dollar each; nobody else is paid.
        assert json.loads(whole.stdout)["paid_usd"] == pytest.approx(13 * asked)

        for log in (here / "a.json.journal").rglob("student/*.jsonl"):
            log.unlink()
        again = invoke("compile", office, *options, "--max-usd", 100_000, "--resume")
        assert again.exit_code == 0, again.output
        assert len(server.bodies) == asked
        assert json.loads(again.stdout)["digest"] == json.loads(whole.stdout)["digest"]
        assert json.loads(again.stdout)["paid_usd"] == pytest.approx(13 * asked)


def test_a_program_that_judges_had_a_part_in_cannot_be_derived(office: Path, here: Path) -> None:
    compiled(office, here / "a.json", "--judge", "local/rubric")
    result = invoke("verify", here / "a.json")
    assert "judges took part" in str(result.exception)


def test_another_score_takes_the_place_of_the_outcome_and_the_program_is_derived(
    office: Path, here: Path
) -> None:
    manifest = compiled(office, here / "a.json", "--maximize", "exact_match")
    assert manifest["metric"]["maximize"] == "exact_match"
    scores = manifest["trials"][-1]["scores"]
    assert scores["outcome"] == scores["exact_match"]
    assert "checked_outcome" in scores
    assert invoke("verify", here / "a.json", "--lm", standin.NAME).exit_code == 0
