"""Reading recorded runs step by step."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from tests.evals.kinds.office.workbench.files import ORIGINAL, needs_original
from worksmith.evals.kinds.office.workbench.runs import read_results
from worksmith.evals.tasks.transcript import TranscriptStep
from worksmith.tools.errors import InputError

RESPONSE = (
    "{'input': 'q', 'output': 'All done.', 'intermediate_steps': ["
    "(AgentAction(tool='company_directory.find_email_address', tool_input={'name': 'ada'}, "
    "log='Thought: First the address.\\nAction:\\n```{}```'), array(['ada.lane@firm.com'], dtype=object)), "
    "(AgentAction(tool='calendar.create_event', tool_input={'duration': 30, 'x': nan}, log='```{}```'), "
    "[{'a': nan, 'b': Timestamp('2023-11-30 00:00:00'), 'c': -1, 'd': None}]), "
    "(AgentAction(tool='email.send_email', tool_input='bare text', log=''), 'x')]}"
)


def write(path: Path, response: str, error: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "function_calls", "full_response", "error"])
        calls = ['calendar.delete_event.func(event_id="1")', "unreadable("]
        writer.writerow(["Do it", repr(calls), response, error])
    return path


def test_steps_thoughts_and_arguments(tmp_path: Path) -> None:
    (run,) = read_results(
        write(tmp_path / "calendar" / "m_domains_2024-01-02_03-04-05.csv", RESPONSE, "died")
    )

    assert (run.query, run.final, run.error, run.mode, run.domain) == (
        "Do it",
        "All done.",
        "died",
        "domains",
        "calendar",
    )
    assert run.steps[0] == TranscriptStep(
        "company_directory.find_email_address", {"name": "ada"}, "First the address."
    )
    assert isinstance(run.steps[1].arguments, dict)
    assert run.steps[1].arguments["duration"] == 30
    assert math.isnan(run.steps[1].arguments["x"])
    assert run.steps[2] == TranscriptStep("email.send_email", "bare text", "")


@pytest.mark.parametrize(
    "response", ["", "not python", "{'output': 'x'}", "[1]", "__import__('os')", RESPONSE[:-3]]
)
def test_an_unusable_transcript_falls_back_to_the_calls(tmp_path: Path, response: str) -> None:
    (run,) = read_results(write(tmp_path / "m_all_2024-01-02_03-04-05.csv", response))

    assert run.steps == (TranscriptStep("calendar.delete_event", {"event_id": "1"}, ""),)
    assert (run.final, run.error, run.mode) == ("", None, "all")


def test_a_name_that_does_not_tell_the_mode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which tools"):
        read_results(write(tmp_path / "runs.csv", RESPONSE))


@needs_original
def test_the_published_runs_are_read_whole() -> None:
    runs = [run for path in sorted((ORIGINAL / "results").glob("*/*.csv")) for run in read_results(path)]

    assert len(runs) == 690
    assert sum(len(run.steps) for run in runs) == 1492
    assert all(run.final for run in runs)
    assert {run.mode for run in runs} == {"all", "domains"}
