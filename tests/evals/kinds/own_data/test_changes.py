"""Expected changes against changes that were made, both drawn at random."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals import help_desk
from tests.evals.kinds.own_data.desk import env, task
from worksmith.evals.kinds.own_data.expectations import Expectations
from worksmith.tools.environment import Environment
from worksmith.tools.sqlite.outcome import Outcome

KEYS = [str(row[0]) for row in help_desk.ROWS["tickets"]]
STORED = {str(row[0]): str(row[2]) for row in help_desk.ROWS["tickets"]}

STATUSES = st.sampled_from(["open", "resolved", "waiting"])
ROWS = st.dictionaries(st.sampled_from(KEYS), st.one_of(STATUSES, st.none()), min_size=1)
MAILS = st.lists(st.sampled_from(["ann", "bo"]), max_size=3)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return env(tmp_path_factory.mktemp("desk"))


def made(desk: Environment, rows: dict[str, str | None], mails: list[str]) -> Outcome:
    """What is left where rows got these statuses, or were deleted for None, and mails were sent."""
    episode = desk.episode()

    def body(connection: apsw.Connection) -> None:
        for key, status in rows.items():
            if status is None:
                connection.execute("DELETE FROM tickets WHERE ticket_id = ?", (key,))
            else:
                connection.execute("UPDATE tickets SET status = ? WHERE ticket_id = ?", (status, key))
        for number, recipient in enumerate(mails):
            values = (f"EM-{number}", recipient, "2022-12-31")
            connection.execute("INSERT INTO mail (email_id, recipient, date) VALUES (?, ?, ?)", values)

    episode.edit(body)
    return episode.outcome()


def effective(rows: dict[str, str | None]) -> dict[str, str | None]:
    return {key: status for key, status in rows.items() if status != STORED[key]}


@given(ROWS, MAILS, ROWS, MAILS)
def test_an_outcome_is_right_if_it_has_the_same_changes(
    desk: Environment,
    wanted: dict[str, str | None],
    mails: list[str],
    done: dict[str, str | None],
    sent: list[str],
) -> None:
    rows = {key: None if status is None else {"status": status} for key, status in wanted.items()}
    changes = {"tickets": rows, "mail": [{"recipient": recipient} for recipient in mails]}
    expectations, asked = Expectations(desk), task(desk, changes=changes)
    assert expectations.state(asked, made(desk, wanted, list(reversed(mails)))).right
    same = effective(wanted) == effective(done) and sorted(mails) == sorted(sent)
    state = expectations.state(asked, made(desk, done, sent))
    assert state.right == same
    assert len(state.expected.changes) == len(effective(wanted)) + len(mails)
