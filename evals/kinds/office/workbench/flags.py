"""Particular mistakes that the original counts."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.evals.task_kind import PublishedMistakes

MEETING_SLOT = "13:00:00"
"""When the first free half hour of the original's next day begins."""

_OTHER_SLOTS = ("09:00:00", "11:00:00", "15:00:00", "15:30:00")


def error_flags(actions: Sequence[str], expected: Sequence[str], correct: bool) -> dict[str, bool]:
    """What kind of error a row is, by the texts of its actions and of the expected ones.

    Gives:
        wrong_email: an invented address was used and no real one.
        end_date_minor_error: only the plots' last day is wrong, by one day.
        meeting_start_time_error: only the meeting's start is wrong, at one of the usual wrong hours.
    """
    text = "".join(actions)
    found = {
        "wrong_email": "@example" in text and "@atlas" not in text,
        "end_date_minor_error": _nearly(actions, expected, "2023-11-29", ("2023-11-30",)),
        "meeting_start_time_error": _nearly(actions, expected, MEETING_SLOT, _OTHER_SLOTS),
    }
    return {name: holds and not correct for name, holds in found.items()}


MISTAKES = PublishedMistakes(
    faults={
        "wrong_email": "wrong_address",
        "end_date_minor_error": "wrong_date_end",
        "meeting_start_time_error": "wrong_date",
    },
    find=error_flags,
)


def _nearly(actions: Sequence[str], expected: Sequence[str], right: str, wrong: Sequence[str]) -> bool:
    """Whether every expected action, with `right` replaced by one of `wrong`, was made."""
    return bool(expected) and all(
        right in action and any(action.replace(right, other) in actions for other in wrong)
        for action in expected
    )
