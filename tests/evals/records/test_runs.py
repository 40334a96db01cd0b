from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evals.episodes import make_record, make_result
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.run_card import JUDGEMENTS, RATINGS, RunCard, beside, make_room, write_card
from worksmith.evals.tracking import open_tracker
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.tools.errors import InputError


def write_log(log: Path, *records: EpisodeRecord, **card: Any) -> Path:
    with EpisodeLog.open(log) as journal:
        for record in records:
            journal.append(record)
    if card:
        write_card(log, RunCard(**card))
    return log


def test_a_log_opens_with_its_card(tmp_path: Path) -> None:
    card = RunCard(label="react, x", split="test", trials=2, versions={"python": "3"})
    log = write_log(tmp_path / "a.jsonl", make_record(1), make_record(1, trial=1), **card.model_dump())
    (run,) = open_runs([str(log)])

    assert run.card == card
    assert [record.trial for record in run.records] == [0, 1]
    assert run.path == str(log)


def test_episodes_do_not_come_in_the_order_in_which_they_ended(tmp_path: Path) -> None:
    records = [make_record(1), make_record(2), make_record(3)]
    runs = [write_log(tmp_path / "a.jsonl", *records), write_log(tmp_path / "b.jsonl", *records[::-1])]
    first, second = open_runs([str(log) for log in runs])

    assert first.records == second.records


def test_a_log_without_a_card_says_what_its_records_say(tmp_path: Path) -> None:
    log = write_log(tmp_path / "mine.jsonl", make_record(1), make_record(2, trial=2))
    (run,) = open_runs([str(log)])

    assert (run.card.label, run.card.strategy, run.card.split, run.card.trials) == (
        "mine",
        "react",
        "test",
        3,
    )


def test_episodes_of_other_scorers_and_further_trials_are_left_out(tmp_path: Path) -> None:
    kept, other = make_record(1), make_record(2)
    digests = [
        record.digests.model_copy(update={"scorers": name}) for record, name in ((kept, "s"), (other, "t"))
    ]
    log = write_log(
        tmp_path / "a.jsonl",
        kept.model_copy(update={"digests": digests[0]}),
        other.model_copy(update={"digests": digests[1]}),
        make_record(3, trial=1, digests=digests[0]),
        label="a",
        scorers="s",
    )
    (run,) = open_runs([str(log)])

    assert [record.task_id for record in run.records] == ["task-001"]


def test_a_folder_is_a_comparison_in_its_order(tmp_path: Path) -> None:
    write_log(tmp_path / "a.jsonl", make_record(1), label="second", place=1)
    write_log(tmp_path / "b.jsonl", make_record(1), label="first", place=0)
    write_log(tmp_path / "compile.jsonl", make_record(1))

    assert [run.card.label for run in open_runs([str(tmp_path)])] == ["first", "second"]


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    logs = [write_log(tmp_path / name / "a.jsonl", make_record(1), label="react") for name in "xy"]

    found = open_runs([str(log) for log in logs])
    assert [run.card.label for run in found] == ["react", "react (2)"]


def test_verdicts_given_later_are_those_of_their_episodes(tmp_path: Path) -> None:
    record = make_record(1)
    log = write_log(tmp_path / "a.jsonl", record, make_record(2), label="a")
    verdict = {"judge": "local/rubric", "rubric": "general", "level": 5}
    beside(log, JUDGEMENTS).write_text(json.dumps({"key": record.key, "judgement": verdict}) + "\n")
    first, second = open_runs([str(log)])[0].records

    assert [(each.judge, each.level) for each in first.judgements] == [("local/rubric", 5)]
    assert second.judgements == ()


@pytest.mark.slow
def test_a_log_makes_room_for_a_new_one_and_what_was_judged_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    assert make_room(log) is None  # nothing is there
    write_log(log, make_record(1))
    assert make_room(log) is None
    assert not log.exists()

    for n, ending in enumerate((JUDGEMENTS, RATINGS), start=1):
        write_log(log, make_record(n), label=f"run {n}")
        beside(log, ending).write_text("")
        kept = make_room(log)

        assert kept is not None
        assert [path.suffix for path in tmp_path.iterdir()] == [""] * n  # folders
        (run,) = open_runs([str(kept)])
        assert (run.card.label, run.records) == (f"run {n}", (make_record(n),))
        assert beside(kept, ending).exists()


@pytest.mark.slow
def test_a_tracked_run_opens_with_those_below_it(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    with open_tracker(uri).start("compare") as run:
        for place, name in enumerate(("act", "react")):
            with run.child(name) as child:
                child.evaluation(make_result([make_record(number) for number in range(3)]), split="test")
                child.text(
                    RunCard(label=name, split="test", place=place).model_dump_json(), "episodes/card.json"
                )
    found = open_runs([str(run.id)], tracking_uri=uri)

    assert [(each.card.label, len(each.records)) for each in found] == [("act", 3), ("react", 3)]


@pytest.mark.parametrize("name", ["nowhere.jsonl", "0123456789abcdef"])
def test_what_is_neither_a_file_nor_a_run_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="neither a file nor a run"):
        open_runs([name], tracking_uri=f"sqlite:///{tmp_path}/mlflow.db")


_DAMAGED = [("a.card.json", "not the card of a run"), ("a.judgements.jsonl", "not a verdict")]


@pytest.mark.parametrize(("name", "said"), _DAMAGED)
def test_damaged_files_beside_a_log_are_said(tmp_path: Path, name: str, said: str) -> None:
    log = write_log(tmp_path / "a.jsonl", make_record(1))
    (tmp_path / name).write_text("{}\n" if "card" in name else "[]\n")

    with pytest.raises(InputError, match=said):
        open_runs([str(log)])
