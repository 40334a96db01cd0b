"""Runs in parts: the parts make the run that one process would have made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.optimizers.shop import make_suite
from worksmith.evals.records.logs.log import EpisodeLog, read_log
from worksmith.evals.records.logs.run_log import open_log
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.run_card import CARD, RATINGS, beside, read_card, write_card
from worksmith.jobs.evaluation import evaluate
from worksmith.jobs.runs.merging import merge_logs
from worksmith.jobs.settings.programs import EvaluateSettings
from worksmith.jobs.settings.runs import MergeSettings
from worksmith.tools.errors import InputError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, and the same in 3 parts; 7 tasks with 2 attempts each."""
    folder = tmp_path_factory.mktemp("runs")
    suite = make_suite(folder / "suite").path
    common: dict[str, Any] = {"suite": suite, "lm": "gold", "limit": 7, "trials": 2, "track": False}
    evaluate(EvaluateSettings(**common, log=folder / "whole.jsonl"))
    for part in (1, 2, 3):
        log = folder / f"part{part}.jsonl"
        evaluate(EvaluateSettings(**common, log=log, shard=f"{part}/3", workers=part))
    return folder


@pytest.fixture
def parts(made: Path, tmp_path: Path) -> list[Path]:
    """Copies of the parts."""
    for log in made.glob("part*.json*"):
        (tmp_path / log.name).write_bytes(log.read_bytes())
    return sorted(tmp_path.glob("part*.jsonl"))


def merge(parts: list[Path], **more: Any) -> dict[str, Any]:
    return merge_logs(MergeSettings(parts=parts, out=parts[0].parent / "merged.jsonl", **more)).to_json()


def test_a_part_is_not_overwritten_by_the_whole(parts: list[Path]) -> None:
    before = parts[0].read_bytes()
    with pytest.raises(InputError, match="is one of the parts"):
        merge_logs(MergeSettings(parts=parts, out=parts[0], force=True))
    assert parts[0].read_bytes() == before


def test_merged_parts_are_the_whole_run(made: Path, parts: list[Path]) -> None:
    merged = merge([parts[2], parts[0], parts[1]])
    whole, found = open_log(made / "whole.jsonl"), open_log(Path(merged["log"]))

    assert (merged["episodes"], merged["parts"]) == (14, 3)
    assert [each.without_times() for each in found.records] == [
        each.without_times() for each in whole.records
    ]
    assert found.card == whole.card
    cards = [read_card(beside(part, CARD)) for part in parts]
    assert [str(card.shard) for card in cards] == [card.settings["shard"] for card in cards]
    sizes = [len({record.task_id for record in read_log(part)}) for part in parts]
    assert sizes == [card.shard.size for card in cards if card.shard] == [3, 2, 2]
    with pytest.raises(InputError, match="already there"):
        merge(parts)
    assert merge(parts, force=True)["episodes"] == 14


def test_ratings_of_an_earlier_merge_are_kept_and_no_card_of_a_part_is_replaced(parts: list[Path]) -> None:
    merged = Path(merge(parts)["log"])
    beside(merged, RATINGS).write_text("paid for\n")
    merge(parts, force=True)
    assert beside(merged, RATINGS).exists() is False
    (moved,) = merged.parent.glob("earlier-*/*/*.ratings.jsonl")
    assert moved.read_text() == "paid for\n"

    before = beside(parts[0], CARD).read_bytes()
    with pytest.raises(InputError, match="its card would be that of a part"):
        merge_logs(MergeSettings(parts=parts, out=parts[0].with_suffix(""), force=True))
    assert beside(parts[0], CARD).read_bytes() == before


def test_folders_of_parts_may_have_other_names(parts: list[Path]) -> None:
    card = read_card(beside(parts[1], CARD))
    settings = {**card.settings, "suite": "elsewhere"}
    write_card(parts[1], card.model_copy(update={"settings": settings}))
    assert merge(parts)["episodes"] == 14


def with_another_task(record: EpisodeRecord) -> EpisodeRecord:
    """The episode of a task that has changed since."""
    digests = record.digests.model_copy(update={"task": "earlier"})
    return record.model_copy(update={"digests": digests, "key": record.key[::-1]})


def test_an_episode_of_an_earlier_task_is_left_out(parts: list[Path]) -> None:
    records = list(read_log(parts[1]))
    parts[1].unlink()
    with EpisodeLog.open(parts[1]) as log:
        for record in [with_another_task(records[0]), *records]:
            log.append(record)

    assert merge(parts)["episodes"] == 14


def repeat_an_episode_for_another(parts: list[Path]) -> None:
    records = list(read_log(parts[1]))
    parts[1].unlink()
    with EpisodeLog.open(parts[1]) as log:
        for record in [with_another_task(records[0]), *records[:-1]]:
            log.append(record)


def drop_a_part(parts: list[Path]) -> None:
    del parts[1]


def give_one_twice(parts: list[Path]) -> None:
    parts[2] = parts[1]


def drop_an_episode(parts: list[Path]) -> None:
    parts[1].write_bytes(b"".join(parts[1].read_bytes().splitlines(keepends=True)[1:]))


def take_a_whole_run(parts: list[Path]) -> None:
    write_card(parts[1], read_card(beside(parts[1], CARD)).model_copy(update={"shard": None}))


def take_another_seed(parts: list[Path]) -> None:
    write_card(parts[1], read_card(beside(parts[1], CARD)).model_copy(update={"seed": 5}))


def take_other_tasks(parts: list[Path]) -> None:
    card = read_card(beside(parts[1], CARD))
    assert card.shard is not None
    write_card(parts[1], card.model_copy(update={"shard": card.shard.model_copy(update={"tasks": "other"})}))


def take_another_world(parts: list[Path]) -> None:
    records = [
        each.model_copy(update={"digests": each.digests.model_copy(update={"world": "other"})})
        for each in read_log(parts[1])
    ]
    parts[1].unlink()
    with EpisodeLog.open(parts[1]) as log:
        for record in records:
            log.append(record)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (drop_a_part, "missing: 2"),
        (give_one_twice, "part 2/3 is given twice"),
        (drop_an_episode, "part 2/3 has 3 of its 4 episodes"),
        (repeat_an_episode_for_another, "part 2/3 has 3 of its 4 episodes"),
        (take_a_whole_run, "no part of another"),
        (take_another_seed, "differs from .* in: seed"),
        (take_other_tasks, "differs from .* in: tasks"),
        (take_another_world, "differs from .* in: world"),
    ],
)
def test_parts_that_make_no_run_are_refused(
    parts: list[Path], spoil: Callable[[list[Path]], None], said: str
) -> None:
    folder = parts[0].parent
    spoil(parts)

    with pytest.raises(InputError, match=said):
        merge(parts)
    assert not list(folder.glob("merged*"))
