"""The tools do what the original's did, but for the differences that docs/fidelity.md explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.office.conftest import json_lines
from tests.tools.kinds.office.state import COMPARED, rows_after, table_hash
from worksmith.evals.scoring.actions import parse_action
from worksmith.tools.dispatch import Observation
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.kinds.office.importing import import_tables
from worksmith.tools.kinds.office.schema import Row

Step = dict[str, Any]


def _empty_cell_searched(step: Step, got: Observation) -> bool:
    return (
        step["tool"] == "customer_relationship_manager.search_customers"
        and step.get("exception") == "ValueError"
        and got.status == "ok"
    )


def _sent_and_received_mail_found(step: Step, got: Observation) -> bool:
    return (
        step["tool"] == "email.search_emails" and step.get("exception") == "TypeError" and got.status == "ok"
    )


def _unreadable_start_of_own_event(step: Step, got: Observation) -> bool:
    return (
        step["tool"] == "calendar.search_events"
        and step.get("exception") == "DateParseError"
        and step["message"].endswith("@atlas.com")  # a probe put an address where a time belongs
        and got.status == "ok"
    )


def _sent_mail_not_overwritten(step: Step, got: Observation) -> bool:
    return (
        step["tool"] == "email.reply_email"
        and step.get("value") == "Email not found."
        and got.status == "ok"
        and step["arguments"]["email_id"] == "500"
    )


DIFFERENCES: dict[str, Callable[[Step, Observation], bool]] = {
    "An empty cell contains nothing": _empty_cell_searched,
    "Sent and received mails can be found together": _sent_and_received_mail_found,
    "An event without a readable start lies in no range": _unreadable_start_of_own_event,
    "A sent mail never overwrites another": _sent_mail_not_overwritten,
}
"""The classes of docs/fidelity.md that occur in the probes, by their titles there."""


def test_every_class_of_differences_is_documented() -> None:
    fidelity = (Path(__file__).parents[4] / "docs" / "fidelity.md").read_text()
    assert all(f"**{title}** (probes)" in fidelity for title in DIFFERENCES)


@pytest.mark.slow
def test_every_recorded_call_gives_the_recorded_observation(original: Path, imported: Environment) -> None:
    runs: dict[tuple[str, ...], Episode] = {}
    different = []
    recorded = json_lines(original / "observations.jsonl.gz")
    for call in recorded:
        run = (call["model"], call["mode"], call["domain"], call["task"])
        episode = runs.get(run) or runs.setdefault(run, imported.episode())
        got = episode.call(call["tool"], call["arguments"])
        if got.value != call["recorded"]:
            different.append((call["tool"], call["arguments"], got.text))
    assert len(recorded) > 1000
    assert different == []


@pytest.mark.slow
def test_probes_differ_only_as_documented(original: Path, imported: Environment) -> None:
    start = import_tables(original)
    at_rest = {name: table_hash(table, start.get(name, [])) for name, table in COMPARED.items()}
    unexplained: list[Any] = []
    seen: Counter[str] = Counter()
    for probe in json_lines(original / "probes.jsonl.gz"):
        episode = imported.episode()
        for step in probe["steps"]:
            got = episode.call(step["tool"], step["arguments"])
            if not _same(step, got):
                title = next((title for title, holds in DIFFERENCES.items() if holds(step, got)), None)
                seen[title or ""] += 1
                if title is None:
                    unexplained.append((probe["probe"], step, got))
        unexplained.extend(_state_differences(probe, episode, start, at_rest))
    assert unexplained == []
    assert set(seen) == set(DIFFERENCES)


def test_expected_actions_change_what_they_changed(original: Path, imported: Environment) -> None:
    start = import_tables(original)
    tasks = json_lines(original / "expected_outcomes.jsonl")
    for task in tasks:
        episode = imported.episode()
        for action, (status, shown) in zip(task["actions"], task["results"], strict=True):
            got = episode.call(*parse_action(action))
            assert (got.status, repr(got.value)) == (status, shown), task["task"]
        for name, table in COMPARED.items():
            expected = task["delta"].get(name)
            rows = rows_after(start.get(name, []), table, episode)
            if expected is None:
                assert rows == start.get(name, []), task["task"]
            else:
                assert table_hash(table, rows) == expected["hash"], task["task"]
        assert episode.outcome().empty is not bool(task["delta"])
    assert len(tasks) == 345


def _same(step: Step, got: Observation) -> bool:
    if step["status"] == "exception":
        return got.status == "tool_error"
    return got.status == "ok" and bool(got.value == step["value"])


def _state_differences(
    probe: Step, episode: Episode, start: dict[str, list[Row]], at_rest: dict[str, str]
) -> list[Any]:
    """The tables that end otherwise than recorded; `at_rest` has the hashes of those that nothing changed."""
    found = []
    changed = {change.table for change in episode.outcome().changes}
    for name, table in COMPARED.items():
        if name in changed:
            after = table_hash(table, rows_after(start.get(name, []), table, episode))
        else:
            after = at_rest[name]
        same = after == probe["final_hash"][name]
        if not same and not (name == "email" and _sent_after_delete(episode)):
            found.append((probe["probe"], name))
    return found


def _sent_after_delete(episode: Episode) -> bool:
    done = [call.observation.text for call in episode.calls]
    if "Email deleted successfully." not in done:
        return False
    later = done[done.index("Email deleted successfully.") :]
    return any(
        text.startswith("Email ")
        and text.endswith(("sent successfully.", "forwarded successfully.", "replied successfully."))
        for text in later
    )
