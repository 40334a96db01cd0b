"""The run in a log: what a change before a resume left behind does not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.episodes import make_record
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.logs.run_log import open_log
from worksmith.evals.records.run_card import RunCard, write_card


@pytest.mark.parametrize("changed", ["task", "program", "model", "world"])
def test_episodes_from_before_a_change_are_of_another_run(tmp_path: Path, changed: str) -> None:
    path = tmp_path / "log.jsonl"
    before = [make_record(number) for number in range(3)]
    digests = before[0].digests.model_copy(update={changed: "changed"})
    after = [make_record(number, key=f"new-{number}", digests=digests) for number in (1, 0)]
    with EpisodeLog.open(path) as log:
        for record in [*before, *after]:
            log.append(record)

    assert {record.key for record in open_log(path).records} == {each.key for each in [*before, *after]}
    write_card(path, RunCard(label="react"))
    kept = [after[1], after[0]]
    assert list(open_log(path).records) == (kept + before[2:] if changed == "task" else kept)
