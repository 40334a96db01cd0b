"""`worksmith bank`, and compiling with what it builds."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests import standin
from tests.worksmith.commands import printed
from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.programs import load_program
from worksmith.models.resolve import resolve
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.programs.agent import Agent
from worksmith.tools.errors import InputError


def log_of(suite: Suite, folder: Path, *options: object) -> Path:
    """The episode log of gold plans carried out on the training tasks."""
    log = folder / "runs" / "gold.jsonl"
    printed("eval", suite.path, "--split", "train", "--lm", "gold", "--log", log, "--no-track", *options)
    return log


def logged(log: Path, task_id: str) -> EpisodeRecord:
    """What a log says of one task."""
    return next(record for record in read_log(log) if record.task_id == task_id)


def spoil(log: Path, task_id: str, **changes: Any) -> None:
    """Change what a log says of one task."""
    records = [
        record.model_copy(update=changes) if record.task_id == task_id else record for record in read_log(log)
    ]
    log.write_bytes(b"".join(map(log_line, records)))


def test_a_bank_of_gold_plans_is_shown_as_it_was_built(suite: Suite, tmp_path: Path) -> None:
    built = printed("bank", "build", suite.path, "-o", tmp_path / "gold.bank", "--from", "gold")
    shown = printed("bank", "show", tmp_path / "gold.bank")

    assert shown == built
    assert built["demonstrations"] == 12
    assert built["by_intent"] == {"Cancel": 4, "Rename": 4, "Shift": 4}
    assert built["by_tool"]["calendar.search_events"] == 12
    assert built["gap_tasks"] == []
    assert list(tmp_path.iterdir()) == [tmp_path / "gold.bank"]


def test_workers_and_repeats_change_nothing(suite: Suite, tmp_path: Path) -> None:
    for workers in (1, 8):
        printed(
            "bank", "build", suite.path, "-o", tmp_path / str(workers), "--from", "gold", "--workers", workers
        )

    assert (tmp_path / "1").read_bytes() == (tmp_path / "8").read_bytes()


def test_log_of_another_strategy_becomes_demonstrations_of_this_one(suite: Suite, tmp_path: Path) -> None:
    log = log_of(suite, tmp_path, "--strategy", "direct")
    for strategy in ("react", "direct"):
        told = ("--from", f"log:{log.parent}", "--strategy", strategy)
        printed("bank", "build", suite.path, "-o", tmp_path / strategy, *told)
    react, direct = (TraceBank.read(tmp_path / name) for name in ("react", "direct"))

    assert len(react) == len(direct) == 12
    first = react.demonstrations[0]
    assert [step["tool"] for step in first.parts["selector.predict"]["trajectory"]] == list(first.tools)
    assert [c["tool"] for c in direct.demonstrations[0].parts["selector.predict"]["calls"]][:2] == list(
        first.tools
    )
    assert first.provenance is not None
    assert first.provenance.episode == logged(log, first.task_id).key


def test_failures_of_a_log_are_gaps_unless_the_next_source_helps(suite: Suite, tmp_path: Path) -> None:
    log = log_of(suite, tmp_path)
    spoil(log, "cancel-00", scores={"outcome": 0.0})
    spoil(log, "cancel-01", status="model_error", error="RateLimitError: slow down", scores={})
    spoil(log, "cancel-02", status="step_limit")
    spoil(log, "cancel-03", calls=())
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(line for line in lines if '"task_id":"shift-03"' not in line))

    alone = printed("bank", "build", suite.path, "-o", tmp_path / "a", "--from", f"log:{log}")
    helped = printed(
        "bank", "build", suite.path, "-o", tmp_path / "b", "--from", f"log:{log}", "--from", "gold"
    )

    assert alone["without"] == {
        "called no tool": 1,
        "infrastructure": 1,
        "no trajectory in the source": 1,
        "step limit": 1,
        "wrong outcome": 1,
    }
    reasons = {gap["task_id"]: gap["reason"] for gap in alone["gap_tasks"]}
    assert reasons["cancel-01"] == "model_error: RateLimitError: slow down"
    assert helped["by_source"] == {f"log:{log}": 7, "gold": 5}


def test_what_a_log_calls_a_success_is_scored_anew(suite: Suite, tmp_path: Path) -> None:
    log = log_of(suite, tmp_path)
    spoil(log, "cancel-00", calls=logged(log, "cancel-01").calls)

    built = printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", f"log:{log}")

    assert built["demonstrations"] == 11
    assert [(gap["task_id"], gap["reason"]) for gap in built["gap_tasks"]] == [("cancel-00", "wrong outcome")]


def test_tools_that_are_not_on_offer_are_named(suite: Suite, tmp_path: Path) -> None:
    log = log_of(suite, tmp_path)
    record = logged(log, "cancel-00")
    other = record.calls[1].model_copy(update={"tool": "fax.send"})
    spoil(log, "cancel-00", calls=(record.calls[0], other))

    built = printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", f"log:{log}")

    assert built["gap_tasks"][0]["reason"] == "tools not on offer: fax.send"


def result_file(suite: Suite, folder: Path, *, broken: str = "") -> Path:
    """The original's kind of result table, with the gold plans as one model's run of the training tasks."""
    file = folder / "gpt-4_all_2024-03-21_14-57-26.csv"
    with file.open("w", newline="") as opened:
        rows = csv.DictWriter(opened, ["query", "function_calls", "full_response", "error"])
        rows.writeheader()
        for task in suite.select(split="train"):
            steps = [
                f"(AgentAction(tool={step.tool!r}, tool_input={step.arguments!r}, log='I do it.'), '')"
                for step in task.gold_plan or ()
                if task.id != broken
            ]
            said = f"{{'intermediate_steps': [{', '.join(steps)}], 'output': 'Done.'}}"
            rows.writerow({"query": task.query, "function_calls": "[]", "full_response": said, "error": ""})
    return file


def test_runs_of_the_original_become_demonstrations(suite: Suite, tmp_path: Path) -> None:
    file = result_file(suite, tmp_path, broken="cancel-00")

    built = printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", f"replay:{tmp_path}")

    assert built["by_model"] == {"gpt-4-all": 11}
    assert [gap["task_id"] for gap in built["gap_tasks"]] == ["cancel-00"]
    assert built["tasks"][0]["provenance"]["episode"] == f"{file.name}:1"
    shown = TraceBank.read(tmp_path / "bank").demonstrations[0].parts["selector.predict"]
    assert [step["thought"] for step in shown["trajectory"]] == ["I do it."] * 2


def test_a_recording_of_our_own_has_what_it_recorded(suite: Suite, tmp_path: Path) -> None:
    recording = tmp_path / "replies.jsonl"
    log_of(suite, tmp_path, "--record", recording, "--limit", 4)

    built = printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", f"replay:{recording}")

    assert built["demonstrations"] == 4
    assert built["without"] == {"no trajectory in the source": 8}


def test_dry_run_says_what_would_be_run_and_writes_nothing(suite: Suite, tmp_path: Path) -> None:
    log = log_of(suite, tmp_path)
    spoil(log, "cancel-00", status="step_limit")
    told = printed(
        "bank", "build", suite.path, "-o", tmp_path / "bank", "--dry-run",
        "--from", f"log:{log}", "--from", "openai/gpt-4o-mini",
    )  # fmt: skip

    logged, asked = told["sources"]
    assert (logged["episodes_at_most"], logged["failures_on_record"], logged["asks_a_model"]) == (11, 1, "no")
    assert (asked["episodes_at_most"], asked["asks_a_model"]) == (12, "yes")
    assert not (tmp_path / "bank").exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("log:absent", "no such episode log"),
        ("replay:absent", "no such recording"),
        ("local/nobody", "no local model"),
        ("nobody", "names no provider"),
    ],
)
def test_sources_that_are_not_there(suite: Suite, tmp_path: Path, source: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", source)


def test_a_source_of_other_tasks_is_refused(suite: Suite, tmp_path: Path) -> None:
    log = log_of(suite, tmp_path)
    told = ("-o", tmp_path / "bank", "--split", "dev", "--from", f"log:{log}")
    with pytest.raises(InputError, match="has no run of any of the tasks"):
        printed("bank", "build", suite.path, *told)


@pytest.mark.slow
def test_a_program_is_compiled_from_a_bank_without_a_teacher(suite: Suite, tmp_path: Path) -> None:
    bank, program = tmp_path / "gold.bank", tmp_path / "program.json"
    printed("bank", "build", suite.path, "-o", bank, "--from", "gold", "--split", "all")
    said = printed(
        "compile", suite.path, "-o", program, "--optimizer", "knn", "--bank", bank, "--no-track", "--teacher",
        "absent/teacher",
    )  # fmt: skip
    manifest = Artifact.read(program).manifest

    assert said["cost"]["teacher"]["episodes"] == 0
    assert said["demonstrations"] == 12
    assert {gap["reason"] for gap in said["gaps"]} == {"asks the same as a task held back"}
    assert len(said["gaps"]) == 24
    assert manifest.gold
    assert manifest.bank["digest"] == TraceBank.read(bank).digest
    assert {source.provenance.source for source in manifest.demonstrations if source.provenance} == {"gold"}
    assert len(load_program(program, suite.env).selector.predict.demos) == 12
    assert printed("verify", program, "--lm", standin.NAME)["identical"]


@pytest.mark.slow
def test_a_bank_and_a_teacher_of_the_same_trajectories_give_the_same_program(
    suite: Suite, tmp_path: Path
) -> None:
    printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", "gold")
    small = ("--accept", "best", "--no-track", "--demos", 4, "--dev-limit", 4)
    told = (suite.path, "--optimizer", "bootstrap", *small)
    printed("compile", *told, "-o", tmp_path / "taught")
    printed("compile", *told, "-o", tmp_path / "banked", "--bank", tmp_path / "bank")
    taught, banked = (Artifact.read(tmp_path / name) for name in ("taught", "banked"))

    shown, from_bank = (artifact.state["selector.predict"].demos for artifact in (taught, banked))
    alike = [[{**demo, NOTES: demo[NOTES] | {"solves": ""}} for demo in each] for each in (shown, from_bank)]
    assert alike[0] == alike[1]
    figures = [[trial["outcome"] for trial in artifact.manifest.trials] for artifact in (taught, banked)]
    assert figures[0] == figures[1]


def test_a_bank_for_another_strategy_is_refused(suite: Suite, tmp_path: Path) -> None:
    printed("bank", "build", suite.path, "-o", tmp_path / "bank", "--from", "gold", "--strategy", "act")
    with pytest.raises(InputError, match="built for the strategy act"):
        printed("compile", suite.path, "-o", tmp_path / "out", "--bank", tmp_path / "bank", "--no-track")
    with pytest.raises(InputError, match="draws from no trace bank"):
        printed(
            "compile", suite.path, "-o", tmp_path / "out", "--bank", tmp_path / "bank", "--no-track",
            "--strategy", "act", "--optimizer", "dspy:BootstrapFewShot",
        )  # fmt: skip


@pytest.mark.slow
def test_a_run_in_mlflow_is_a_source_by_its_episodes_and_by_its_traces(suite: Suite, tmp_path: Path) -> None:
    from worksmith.evals.tracking import open_tracker
    from worksmith.evals.tracking.choice import ALL

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    lm = resolve("gold", tasks=suite.tasks)
    result = evaluate(
        Agent("act", env=suite.env), suite.select(split="train"), EvalSettings(env=suite.env, lm=lm)
    )
    with open_tracker(uri, traces=ALL).start("eval", params={"lm": "gold"}) as tracked:
        tracked.evaluation(result, split="train")
    run = tracked.id
    told = ("bank", "build", suite.path, "--from", f"mlflow:{run}", "--tracking-uri", uri)
    by_episodes = printed(*told, "-o", tmp_path / "episodes")
    for file in (tmp_path / "artifacts").rglob("*.jsonl"):
        file.unlink()
    by_traces = printed(*told, "-o", tmp_path / "traces")

    assert by_episodes["demonstrations"] == by_traces["demonstrations"] == 12
    assert by_episodes["by_model"] == {"gold": 12}
    episodes, traces = (TraceBank.read(tmp_path / name) for name in ("episodes", "traces"))
    assert [d.parts for d in episodes.demonstrations] == [d.parts for d in traces.demonstrations]
