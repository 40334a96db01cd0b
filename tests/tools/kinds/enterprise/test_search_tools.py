"""Search inside an episode: filtered before ranking, and aware of what the episode has written."""

from __future__ import annotations

import json
from typing import Any

from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import (
    CEO,
    GITA,
    HARI,
    HR_MANAGER,
    IT_LEAD,
    LEAD,
    SALES_LEAD,
    SALES_MANAGER,
    small_rows,
)
from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.kinds.enterprise.access import packaged_policy
from worksmith.tools.kinds.enterprise.documents import SEARCHED, documents_of
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES


def hits(episode: Episode, tool: str, **arguments: Any) -> list[str]:
    observation = episode.call(tool, arguments)
    assert observation.status == "ok", observation.text
    return [next(iter(record.values())) for record in observation.value["records"]]


def test_only_what_may_be_read_is_ranked(as_: Open) -> None:
    assert hits(as_(GITA), "conversations.read", query="parser", limit=1) == ["CV-00001"]
    assert hits(as_(HR_MANAGER), "conversations.read", query="parser", limit=1) == ["CV-00003"]
    assert hits(as_(CEO), "conversations.read", query="parser") == []


def test_other_selectors_narrow_before_ranking(as_: Open) -> None:
    assert hits(as_(GITA), "conversations.read", query="parser release", with_employee=HARI) == []
    assert hits(
        as_(GITA), "enterprise_mail_system.read", query="budget", date_from="2022-12-02", limit=1
    ) == ["EM-000002"]


def test_a_new_record_is_found(as_: Open) -> None:
    episode = as_(GITA)
    assert hits(episode, "social_platform.read", query="zeppelin") == []

    episode.call("social_platform.create", {"title": "Zeppelin", "body": "A zeppelin lands."})

    assert hits(episode, "social_platform.read", query="zeppelin") == ["POST-00002"]
    assert hits(as_(GITA), "social_platform.read", query="zeppelin") == []


def test_a_changed_record_is_found_by_what_it_says_now(as_: Open) -> None:
    episode = as_(GITA)

    episode.call("conversations.update", {"conversation_id": "CV-00001", "text": "The zeppelin is late."})

    assert hits(episode, "conversations.read", query="zeppelin") == ["CV-00001"]
    assert hits(episode, "conversations.read", query="flaky payment tests") == []


def test_a_deleted_record_is_not_found(as_: Open) -> None:
    episode = as_(GITA)

    episode.call("conversations.delete", {"conversation_id": "CV-00001"})

    assert hits(episode, "conversations.read", query="parser release") == []


def test_a_deleted_id_taken_again_is_found_by_its_new_text(as_: Open) -> None:
    episode = as_(SALES_MANAGER)
    episode.call("products.delete", {"product_id": "PRD-0003"})
    added = {"product_name": "Lamp", "category": "Home", "discounted_price": "5", "actual_price": "5"}

    made = episode.call("products.create", {**added, "about_product": "A zeppelin lamp."}).value

    assert made["product_id"] == "PRD-0003"
    assert hits(episode, "products.read", query="zeppelin") == ["PRD-0003"]
    assert hits(episode, "products.read", query="silent table fan") == []


def test_nobody_finds_what_another_episode_wrote(small: Environment) -> None:
    mine, other = (small.episode(persona=small.persona(GITA)) for _ in range(2))

    mine.call("overflow.create", {"title": "Zeppelin?", "body": "How?"})

    assert hits(mine, "overflow.read", query="zeppelin") == ["Q-00002"]
    assert hits(other, "overflow.read", query="zeppelin") == []


def test_a_new_mail_is_not_found_by_whom_it_does_not_concern(small: Environment) -> None:
    episode = small.episode(persona=small.persona(GITA))
    episode.call("enterprise_mail_system.create", {"recipient": HARI, "subject": "Zeppelin", "body": "Now."})
    assert hits(episode, "enterprise_mail_system.read", query="zeppelin") == ["EM-000006"]

    other = small.episode(persona=small.persona(LEAD))
    other.changeset = episode.changeset

    assert hits(other, "enterprise_mail_system.read", query="zeppelin") == []


def test_every_text_is_searched_and_no_private_one(small: Environment) -> None:
    rules = small.policy.document.sources  # type: ignore[attr-defined]

    assert set(SEARCHED) == {table.name for table in TABLES} - {"sales"}
    for source, searched in SEARCHED.items():
        private = rules[source].private.fields if rules[source].private else ()
        assert not set(searched.text) & set(private), source


def test_a_text_that_rules_make_private_finds_its_record_only_for_who_sees_it(small: Environment) -> None:
    """Being found by a text tells what it says, now and after a change."""
    rules = json.loads(packaged_policy())
    rules["sources"]["tickets"]["private"] = {
        "fields": ["issue"],
        "rule": {"id": "TICKET-PRIVATE", "when": {"self": "raised_by_emp_id"}},
    }

    def found(who: str, text: str, change: str = "") -> list[str]:
        episode = small.episode(persona=small.persona(who))
        episode.policy = load_policy(json.dumps(rules), TABLES)
        if change:
            changed = {"ticket_id": "1001", "issue": change}
            assert episode.call("it_service_management.update_issue", changed).status == "ok"
        return hits(episode, "it_service_management.read_issue", query=text)

    assert found(GITA, "drops every ten minutes") == ["1001"]
    assert found(IT_LEAD, "drops every ten minutes") == []
    assert found(GITA, "zeppelin", change="A zeppelin landed.") == ["1001"]
    assert found(IT_LEAD, "zeppelin", change="A zeppelin landed.") == []


def test_documents_carry_the_fields_that_rules_compare(small: Environment) -> None:
    (first, *_) = documents_of(small.world, "conversations")

    assert first.key == "CV-00001"
    assert first.fields == {"sender_emp_id": GITA, "recipient_emp_id": LEAD}
    assert "parser release" in first.text


def test_there_is_a_document_for_every_record(small: Environment) -> None:
    rows = small_rows()
    for source in SEARCHED:
        place = next(t for t in TABLES if t.name == source).columns.index(KEYS[source])
        assert [d.key for d in documents_of(small.world, source)] == [row[place] for row in rows[source]]


def test_sales_are_found_through_their_products(as_: Open) -> None:
    assert hits(as_(SALES_LEAD), "sales.read", query="boils water") == ["SAL-00002"]
    assert hits(as_(SALES_LEAD), "sales.read", query="zeppelin") == []


def test_remembered_rights_change_no_result(small: Environment) -> None:
    """One environment knows earlier searches, another one searches for the first time."""
    writer = small.episode(persona=small.persona(GITA))
    writer.call("conversations.update", {"conversation_id": "CV-00001", "text": "Lunch is late."})
    writer.call("conversations.delete", {"conversation_id": "CV-00002"})
    writer.call("social_platform.create", {"title": "Lunch", "body": "A zeppelin brings lunch to the roof."})
    tools = [tool for tool in writer.toolset if tool.endswith(".read")]

    def found(env: Environment, who: str) -> dict[str, str]:
        episode = env.episode(persona=env.persona(who))
        episode.changeset = writer.changeset
        return {tool: episode.call(tool, {"query": "lunch on the roof"}).text for tool in tools}

    warm, cold = (Environment.open(small.world.path) for _ in range(2))
    for who in (GITA, HARI, CEO, HR_MANAGER, SALES_LEAD):
        for tool in tools:
            warm.episode(persona=warm.persona(who)).call(tool, {"query": "parser"})
        assert found(warm, who) == found(cold, who)
