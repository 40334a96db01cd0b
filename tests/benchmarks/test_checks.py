"""What the benchmark of faults takes for wrong."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.soundness.faults.checks import doubled_effects, same_work, wrong_classifications
from benchmarks.soundness.faults.kinds import NO_TOOL
from tests.evals.episodes import make_record
from worksmith.evals.records.entries import AskEntry, CallEntry
from worksmith.evals.records.record import EpisodeRecord

DELETE = CallEntry(tool="email.delete_email", arguments={"email_id": "1"}, status="ok")


def ask(reason: str = "stop", call: int = 0, **more: Any) -> AskEntry:
    return AskEntry(part="select", call=call, finish_reason=reason, **{"paid_requests": 1, **more})


def wrong(kind: str, faults: int, *records: EpisodeRecord, logged: tuple[EpisodeRecord, ...] = ()) -> int:
    return len(wrong_classifications(kind, records, logged or records, {"faults": {"any": faults}}))


@pytest.mark.parametrize(
    ("kind", "reason", "status"),
    [
        ("refused", "refusal", "refused"),
        ("refused", "content_filter", "filtered"),
        ("truncated", "length", "truncated"),
    ],
)
def test_two_useless_replies_in_one_step_end_an_episode_as_what_they_are(
    kind: str, reason: str, status: str
) -> None:
    twice = (ask(), ask(reason, 1), ask(reason, 1))

    assert not wrong(kind, 2, make_record(1, status=status, asks=twice))
    assert wrong(kind, 2, make_record(1, status="finished", asks=twice))
    assert wrong(kind, 2, make_record(1, status="invalid_reply", asks=twice))
    assert not wrong(kind, 1, make_record(1, asks=twice[:2]))
    assert wrong(kind, 1, make_record(1, status=status, asks=twice[:2]))


def test_each_fault_has_to_show_in_the_records() -> None:
    missing = make_record(1, calls=(CallEntry(tool=NO_TOOL, arguments={}, status="unknown_tool"),))

    assert not wrong("wrong_tool", 1, missing)
    assert wrong("wrong_tool", 2, missing)
    assert not wrong("server_error", 2, make_record(1, asks=(ask(), ask(call=1, paid_requests=3))))
    assert wrong("server_error", 1, make_record(1, asks=(ask(), ask(call=1, paid_requests=3))))
    assert not wrong("no_usage", 1, make_record(1, asks=(ask(), ask(estimated=True))))
    assert wrong("no_usage", 1, make_record(1, asks=(ask(),)))


def test_only_what_retries_mend_may_lose_an_attempt_and_only_to_the_model() -> None:
    record, asks = make_record(1, asks=(ask(),)), (ask("", paid_requests=4),)
    for kind, status, expected in (
        ("cut", "model_error", 0),
        ("cut", "harness_error", 1),
        ("wrong_tool", "model_error", 1),
    ):
        lost = make_record(1, status=status, scores={}, asks=asks)
        assert wrong(kind, 4 if kind == "cut" else 0, record, logged=(lost, record)) == expected


def test_effects_count_where_they_were_made_more_often_than_without_faults() -> None:
    once, twice = make_record(1, calls=(DELETE,)), make_record(1, calls=(DELETE, DELETE))
    failed = make_record(1, calls=(DELETE, DELETE.model_copy(update={"status": "error"})))

    assert doubled_effects(twice, once, {DELETE.tool}).total() == 1
    for made, undisturbed in ((once, once), (twice, twice), (failed, once), (once, make_record(1))):
        assert not doubled_effects(made, undisturbed, {DELETE.tool})
    assert not same_work(twice, once)
    assert same_work(once, once)
