"""What the tasks about the mailbox mean, where it matters: boundaries, full pages, like subjects."""

from __future__ import annotations

from pathlib import Path

from tests.evals.kinds.office.handmade import ADA, BEA, CEM, Office, ids, mail


def office(directory: Path, *mails: tuple[str | None, ...]) -> Office:
    return Office(directory, email=sorted(mails, key=lambda row: str(row[4])))


def test_the_latest_mail_is_the_one_sent_last(tmp_path: Path) -> None:
    there = office(
        tmp_path,
        mail(1, ADA, "2024-10-10 09:00:00"),
        mail(2, ADA, "2024-10-12 09:00:00"),
        mail(3, BEA, "2024-10-16 09:00:00", body=f"I told {ADA}"),
    )
    assert ids(there.answer("E7", sender="Ada", recipient="Cem")) == ["00000002"]


def test_recent_mails_are_all_deleted_even_if_a_page_hides_some(tmp_path: Path) -> None:
    recent = [mail(n, ADA, f"2024-10-{10 + n // 2} 1{n % 2}:00:00") for n in range(8)]
    older = mail(20, ADA, "2024-10-09 23:59:59")
    there = office(tmp_path, older, *recent, mail(21, BEA, "2024-10-15 09:00:00"))
    assert ids(there.answer("E2", name="Ada", days="7")) == [f"{n:08}" for n in range(8)]


def test_a_mail_of_midnight_so_many_days_ago_is_recent(tmp_path: Path) -> None:
    there = office(tmp_path, mail(1, ADA, "2024-10-14 23:59:59"), mail(2, ADA, "2024-10-15 00:00:00"))
    assert ids(there.answer("E2", name="Ada", days="2")) == ["00000002"]


def test_only_the_very_subject_counts(tmp_path: Path) -> None:
    there = office(
        tmp_path,
        mail(1, ADA, "2024-10-10 09:00:00", "Plan"),
        *(mail(n, BEA, f"2024-10-1{n % 5} 10:00:0{n}", "Plan of plans") for n in range(2, 9)),
    )
    assert ids(there.answer("E6", subject="Plan", recipient="Cem")) == ["00000001"]
    assert ids(there.answer("E8", subject="Plan", recipient_1="Cem", recipient_2="Dov")) == ["00000001"] * 2


def test_an_answer_goes_to_the_named_sender_s_mail(tmp_path: Path) -> None:
    there = office(
        tmp_path,
        mail(1, CEM, "2024-10-01 09:00:00"),
        *(mail(n, BEA, f"2024-10-0{n} 10:00:00") for n in range(2, 9)),
    )
    assert ids(there.answer("E4", name="Cem", subject="News", body="Fine")) == ["00000001"]


def test_last_week_is_monday_to_sunday(tmp_path: Path) -> None:
    days = ("06 23:59:59", "07 00:00:00", "13 23:59:59", "14 00:00:00")
    there = office(tmp_path, *(mail(n, ADA, f"2024-10-{day}") for n, day in enumerate(days)))
    assert ids(there.answer("E5", name="Ada", subject="News", recipient="Bea")) == ["00000001", "00000002"]
