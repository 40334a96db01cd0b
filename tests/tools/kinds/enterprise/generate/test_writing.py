"""Projects, chats, mail, tickets, forum and posts of a small world."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.tools.kinds.enterprise.generate.checks.verify import verify
from tests.tools.kinds.enterprise.generate.worlds import full, records, small
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.kinds.enterprise.generate.business.clients import add_clients
from worksmith.tools.kinds.enterprise.generate.business.products import add_products
from worksmith.tools.kinds.enterprise.generate.business.vendors import add_vendors
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.generate.people.employees import add_employees
from worksmith.tools.kinds.enterprise.generate.projects import add_projects
from worksmith.tools.kinds.enterprise.generate.staff import ORDINARY
from worksmith.tools.kinds.enterprise.generate.talk.conversations import TEAMS, add_conversations
from worksmith.tools.kinds.enterprise.generate.talk.mail import add_mail
from worksmith.tools.kinds.enterprise.generate.tickets import LIMITS
from worksmith.tools.kinds.enterprise.generate.topics import details
from worksmith.tools.kinds.enterprise.schema import TABLES

_SLOT = re.compile(r"\{\w+\}")


def tampered(built: Built, source: str, column: str, old: str, new: str) -> Built:
    """A world with a piece of text of one record changed."""
    columns = next(table.columns for table in TABLES if table.name == source)
    at = columns.index(column)
    rows = list(built.rows[source])
    place = next(n for n, row in enumerate(rows) if re.search(old, row[at] or ""))
    changed = re.sub(old, new, rows[place][at] or "", count=1)
    rows[place] = (*rows[place][:at], changed, *rows[place][at + 1 :])
    return Built({**built.rows, source: rows}, built.latents, built.documents)


_CAUSE = r"caused by .*?\.|came down to .*?\.|Diagnosis: .*?\.|reason: .*?\.|was .*?\."
CHANGED = [
    ("conversations", "text", r"\d+ percent", "most"),
    ("mail", "body", r"\d+ \w+ 20\d\d", "1 April 2001"),
    ("issues", "description", r"everity (is|as|: )?", "everything "),
    ("repositories", "code", r"def \w+", "def renamed"),
    ("tickets", "resolution", _CAUSE, "."),
    ("overflow", "body", r"[A-Z]{3}-\d{4}", "XXX-0000"),
    ("posts", "body", r"\d+ \w+ 20\d\d", "1 April 2001"),
    ("policies", "text", r"12 days", "13 days"),
]
ALSO_CHANGED = [
    ("conversations", "text", r"\d+ \w+ 20\d\d", "1 April 2001"),
    ("mail", "subject", r"\(.*\)", "(Nothing)"),
    ("issues", "description", r"`", ""),
    ("tickets", "closed_date", r"20\d\d", "2099"),
]


@pytest.mark.slow
@pytest.mark.parametrize("changes", [CHANGED, ALSO_CHANGED])
def test_the_verifier_misses_no_changed_text(changes: list[tuple[str, str, str, str]]) -> None:
    world = small()
    for change in changes:
        world = tampered(world, *change)
    found = "\n".join(verify(world))
    missed = [
        source for source, *_ in changes if not re.search(rf"^{source.rstrip('s')}", found, re.MULTILINE)
    ]
    assert missed == []


def test_a_fact_stated_twice_for_one_key_is_found() -> None:
    latents = list(small().latents)
    place = next(n for n, one in enumerate(latents) if one.ref.startswith("mail/"))
    latents.append(replace(latents[place], facts={**latents[place].facts, "thread": "THR-999999"}))
    assert any("about the same" in one for one in verify(Built(small().rows, latents, small().documents)))


def test_there_is_a_project_for_every_department() -> None:
    draft = Draft(7, 0.02)
    add_employees(draft)
    add_projects(draft)
    assert {project.department for project in draft.projects} == set(ORDINARY)
    assert len({project.name for project in draft.projects}) == len(draft.projects)
    for project in draft.projects:
        assert project.start < project.end <= draft.today
        for emp_id in project.members:
            assert project.window(draft.people[emp_id]) is not None


def test_mails_do_not_depend_on_chats() -> None:
    def mails(chats: int) -> list[dict[str, str | None]]:
        draft = Draft(7, 0.02)
        draft.counts = replace(draft.counts, conversations=chats)
        for step in (add_employees, add_products, add_clients, add_vendors, add_projects, add_conversations):
            step(draft)
        add_mail(draft)
        return draft.records("mail")

    assert mails(60) == mails(90)


def test_chats_are_between_two_members_of_one_team() -> None:
    departments = {row["emp_id"]: row["department"] for row in records(small(), "employees")}
    rows = records(small(), "conversations")
    counts = Counter(row["category"] for row in rows)
    assert counts == {team: len(rows) // 6 for team in TEAMS}
    for row in rows:
        assert departments[row["sender_emp_id"]] in TEAMS[row["category"]]
        assert row["sender_emp_id"] != row["recipient_emp_id"]
        assert 150 <= len(row["text"].split()) <= 450
        speakers = [line.partition(":")[0] for line in row["text"].splitlines()]
        assert len(set(speakers)) == 2
        assert all(one != other for one, other in pairwise(speakers))


def test_a_thread_alternates_and_its_last_statement_holds() -> None:
    rows = {row["email_id"]: row for row in records(small(), "mail")}
    threads = defaultdict(list)
    for latent in small().latents_of("mail"):
        threads[latent.facts["thread"]].append(latent)
    assert len(threads) == 30
    assert set(map(len, threads.values())) <= set(range(1, 7))
    for latents in threads.values():
        mails = [rows[latent.ref.removeprefix("mail/")] for latent in latents]
        assert [mail["date"] for mail in mails] == sorted({mail["date"] for mail in mails})
        assert all(one["sender_emp_id"] == other["recipient_emp_id"] for one, other in pairwise(mails))
        stating = [latent for latent in latents if "value" in latent.facts]
        assert [latent.facts["state"] for latent in stating[:-1]] == ["superseded"] * (len(stating) - 1)
        assert stating[-1].facts["state"] == "current"
        assert len({latent.facts["value"] for latent in stating}) == len(stating)
    for mail in rows.values():
        assert mail["signature"].startswith(mail["sender_name"])


def test_a_mail_speaks_of_its_topic_and_a_reply_of_the_mail_before() -> None:
    rows = {f"mail/{row['email_id']}": row for row in records(small(), "mail")}
    spoken: dict[str, tuple[str, set[str]]] = {}
    answered = 0
    for latent in small().latents_of("mail"):
        if "topic" not in latent.facts:
            continue
        body = rows[latent.ref]["body"] or ""
        bank = details(packaged(), latent.facts["topic"])
        things = {thing for thing in bank.things if thing in body}
        told = {form for kind in (bank.done, bank.trouble, bank.next, bank.gain) for form in kind}
        assert things, latent.ref
        assert any(piece in body for form in told if len(piece := max(_SLOT.split(form), key=len)) > 12)
        thread, before = spoken.get(latent.facts["thread"], ("", set()))
        answered += bool(thread) and bool(things & before)
        spoken[latent.facts["thread"]] = (latent.ref, things)
    assert answered > len(spoken) / 2


def test_some_mail_goes_to_the_contacts_of_clients_and_vendors() -> None:
    built = small()
    rows = {f"mail/{row['email_id']}": row for row in records(built, "mail")}
    partners = {
        f"{source}/{row[key]}": row
        for source, key in (("clients", "client_id"), ("vendors", "vendor_id"))
        for row in records(built, source)
    }
    outside = [latent for latent in built.latents_of("mail") if "partner" in latent.facts]
    assert 0.05 * len(rows) < len(outside) < 0.2 * len(rows)
    assert {rows[one.ref]["sender_emp_id"] == "" for one in outside} == {True, False}
    for latent in outside:
        mail, partner = rows[latent.ref], partners[latent.refs[0]]
        away = "sender" if mail["sender_emp_id"] == "" else "recipient"
        assert mail[f"{away}_email"] == partner["contact_email"]
        assert mail[f"{away}_name"] == partner["contact_person_name"] == latent.facts["contact"]
        assert mail["date"] > str(partner["onboarding_date"])
        assert mail["category"] == "EXTERNAL"


def test_tickets_have_resolvers_of_it_and_known_clauses() -> None:
    departments = {row["emp_id"]: row["department"] for row in records(small(), "employees")}
    rows = records(small(), "tickets")
    clauses = {latent.facts["clause"]: latent.facts for latent in small().latents_of("policies")}
    assert {departments[row["emp_id"]] for row in rows} == {"IN"}
    assert len({row["category"] for row in rows}) == 12
    assert {row["status"] for row in rows} == {"open", "resolved"}
    for row in rows:
        assert (row["status"] == "open") == (row["closed_date"] == "")
    named = {latent.facts["clause"] for latent in small().latents_of("tickets") if "clause" in latent.facts}
    assert named
    assert named <= clauses.keys()
    limits = {
        name: int(clauses[clause]["value"])
        for name, clause in (("high", "AM-6"), ("medium", "AM-7"), ("low", "AM-8"))
    }
    assert limits == LIMITS


def test_forum_questions_have_codes_of_their_own_and_fitting_answers() -> None:
    rows = {row["post_id"]: row for row in records(small(), "overflow")}
    codes = [
        latent.facts["error_code"] for latent in small().latents_of("overflow") if latent.kind == "question"
    ]
    assert len(codes) == len(set(codes))
    answers = [row for row in rows.values() if row["post_type"] == "answer"]
    assert answers
    assert all(rows[row["parent_id"]]["post_type"] == "question" for row in answers)
    accepted = [row["accepted_answer_id"] for row in rows.values() if row["accepted_answer_id"]]
    assert accepted
    assert len(accepted) == len(set(accepted))
    for row in answers:
        assert row["creation_date"][:10] >= rows[row["parent_id"]]["creation_date"][:10]


def test_records_are_linked() -> None:
    linked = {
        source: sum(bool(one.refs) for one in small().latents_of(source))
        for source in ("conversations", "mail")
    }
    assert all(linked.values())
    named = {ref.partition("/")[0] for one in small().latents_of("conversations") for ref in one.refs}
    assert {"issues", "mail", "products"} <= named


@pytest.mark.slow
def test_topics_recur_with_other_people() -> None:
    topics = Counter((one.facts["project"], one.facts["topic"]) for one in full().latents_of("conversations"))
    assert sum(count for count in topics.values() if count >= 3) > 0.8 * sum(topics.values())
    texts = [row["text"] for row in records(full(), "conversations")]
    assert len(set(texts)) == len(texts)
    bodies = {(row["sender_emp_id"], row["subject"], row["body"]) for row in records(full(), "mail")}
    assert len(bodies) == 4500
