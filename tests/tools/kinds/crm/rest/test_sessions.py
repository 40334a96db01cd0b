"""Who is let in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.kinds.crm.rest.login import Sessions

TOKEN = "0123456789abcdefghij"


def test_a_login_lasts_while_it_is_used() -> None:
    now = 0.0
    sessions = Sessions(TOKEN, lambda: now)
    session_id = sessions.log_in(f"pw{TOKEN}")
    assert session_id is not None
    for hour in (1, 2, 3):
        now = hour * 7000.0
        assert sessions.key(session_id)
    now = 30_000.0
    assert sessions.key(session_id) is None
    assert sessions.key(session_id) is None
    assert sessions.key(TOKEN)


def test_sessions_differ_and_are_kept_by_hash() -> None:
    sessions = Sessions(TOKEN)
    first, second = sessions.log_in(TOKEN), sessions.log_in(TOKEN)

    assert first
    assert second
    assert len({first, second, TOKEN, sessions.key(first), sessions.key(second), sessions.key(TOKEN)}) == 6


def test_logins_are_bounded_and_the_idlest_goes() -> None:
    sessions = Sessions(TOKEN)
    first = sessions.log_in(TOKEN)
    second = sessions.log_in(TOKEN)
    assert first
    assert second
    for _ in range(198):
        sessions.log_in(TOKEN)
    assert sessions.key(first)
    sessions.log_in(TOKEN)

    assert sessions.key(first)
    assert sessions.key(second) is None


@given(st.text(max_size=40))
def test_nothing_else_is_a_session(text: str) -> None:
    sessions = Sessions(TOKEN)

    assert sessions.key(text) is None
    assert sessions.log_in(text) is None
