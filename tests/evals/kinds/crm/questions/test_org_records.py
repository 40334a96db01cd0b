"""The records of an org as plain objects: as many as there are rows, and rightly put together."""

from __future__ import annotations

from datetime import datetime

from tests.evals.kinds.crm.orgs import org_records
from worksmith.evals.kinds.crm.questions.periods import Window

ALWAYS = Window(datetime(2000, 1, 1), datetime(2100, 1, 1))


def test_windows_are_open_at_their_end_unless_asked() -> None:
    known = org_records()
    first, later = known.cases[0], known.cases[5]
    window = Window(first.created, later.created)

    assert list(known.opened(window)) == known.cases[:5]
    assert list(known.opened(window, end_too=True)) == known.cases[:6]
    assert len(known.assigned(ALWAYS)) == len(known.assignments)


def test_cases_know_their_customer_product_and_history() -> None:
    known = org_records()
    rows = {str(row["Id"]): row for row in known.built.records("Case")}
    items = {str(row["Id"]): row["Product2Id"] for row in known.built.records("OrderItem")}

    assert len(known.cases) == len(rows)
    for case in known.cases:
        history = known.assignments_of[case.id]
        assert history[0].old is None
        assert history[-1].new == case.owner == rows[case.id]["OwnerId"]
        assert known.account_of[case.contact] == case.account
        assert known.states[case.account]
        assert known.purchase[case.item].product == items[case.item]
        assert known.last_event[case.id] >= (case.closed or case.created)


def test_handle_time_is_counted_in_minutes() -> None:
    case = next(case for case in org_records().cases if case.closed)
    row = next(row for row in org_records().built.records("Case") if row["Id"] == case.id)
    opened, closed = (datetime.fromisoformat(str(row[name])[:19]) for name in ("CreatedDate", "ClosedDate"))

    assert case.minutes * 60 == (closed - opened).total_seconds()
