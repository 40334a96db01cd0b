from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from tests.evals.episodes import make_record
from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.reporting.tables.failure_modes import failure_mode_grids
from worksmith.evals.task_kind import TASK_KINDS, task_kind


def wrong(number: int, kind: str, step: int | None = None, **changes: Any) -> EpisodeRecord:
    entry = FaultEntry(kind=kind, step=step, detail="because", source="rules")
    return make_record(number, scores={"outcome": 0.0}, fault=entry, **changes)


def test_nothing_to_show_where_nothing_is_on_record() -> None:
    assert failure_mode_grids([]) == ()
    assert failure_mode_grids([make_record(1), make_record(2, scores={"outcome": 0.0})]) == ()


def test_kinds_are_counted_with_their_share_step_and_an_example() -> None:
    records = [make_record(number) for number in range(6)]
    records += [wrong(6, "wrong_record", 2), wrong(7, "wrong_record", 2), wrong(8, "wrong_record", 3)]
    records += [wrong(9, "no_action"), make_record(10, status="model_error", scores={})]
    counts, by_domain = failure_mode_grids(records)

    assert [row[:2] for row in counts.rows] == [("no action", "1"), ("wrong record", "3")]
    assert counts.rows[1][2].startswith("30.0 [")
    assert counts.rows[1][3:] == ("2 (2/3)", "task-006")
    assert counts.rows[0][3] == "-"
    assert "4 of 10 graded episodes (40.0 %)" in counts.notes[0]
    assert by_domain.headings == ("fault", "calendar", "several")
    assert by_domain.rows[-1] == ("all", "2 of 5", "2 of 5")


def test_other_facets_may_be_asked_for() -> None:
    records = [wrong(1, "leak", strategy="act"), wrong(2, "no_action", strategy="react")]
    _, by_strategy = failure_mode_grids(records, facets={"strategy": lambda record: record.strategy})

    assert by_strategy.headings == ("fault", "act", "react")
    assert by_strategy.rows[0] == ("leak", "1", "0")


def test_what_a_judge_named_is_marked_and_unknown_kinds_are_shown() -> None:
    judged = FaultEntry(kind="of its own", source="judge")
    counts = failure_mode_grids([make_record(1, scores={"outcome": 0.0}, fault=judged)], facets={})[0]

    assert counts.rows[0][0] == "of its own"
    assert any("A judge named 1" in note for note in counts.notes)


def test_every_kind_says_what_it_means() -> None:
    for name, kind in failure_modes().items():
        assert kind.name == name
        assert kind.title
        assert kind.meaning.endswith(".")


def test_the_names_that_papers_have_are_of_our_failure_modes() -> None:
    named = {}
    for name in TASK_KINDS.names():
        if not (published := task_kind(name).published):
            continue
        file = files(published) / "published.toml"
        named[name] = tomllib.loads(file.read_text(encoding="utf-8"))["failure_modes"]
        assert named[name].keys() <= failure_modes().keys()
    # The six kinds of EnterpriseBench's analysis all have a place.
    enterprise = set(named["enterprise"].values())
    assert {
        "wrong tool or app selection",
        "search-based answer hallucination",
        "context retrieval",
        "task decomposition",
        "partial factual coverage",
        "final step execution",
    } <= enterprise
