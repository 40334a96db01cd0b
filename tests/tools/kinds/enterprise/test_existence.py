"""What calls tell of records that their persona may not read: that there are some, and never what they say.

Tasks that are to be denied need a denial where there is a record, and nothing where there is none. So
whoever knows an id can learn whether there is such a record. What is told is pinned here, and described in
docs/how-to/access-rules.md.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import CEO, GITA, HARI, HR_MANAGER, IT_ASSOCIATE
from worksmith.tools.environment import Environment
from worksmith.tools.policy import DENIED

NOTHING = ("ok", '{"total": 0, "records": []}')

HIDDEN, ABSENT = "EM-000003", "EM-999999"
"""A mail that Gita has no part in, and one that there is not."""

GONE = ("tool_error", f"there is no email_id {ABSENT}")


def told(as_: Open, who: str, tool: str, **arguments: Any) -> tuple[str, str]:
    found = as_(who).call(tool, arguments)
    return found.status, found.text


@pytest.mark.parametrize(
    ("tool", "key", "others", "absent"),
    [
        ("enterprise_mail_system.read", "email_id", {}, NOTHING),
        ("enterprise_mail_system.update", "email_id", {"body": "No."}, GONE),
        ("enterprise_mail_system.delete", "email_id", {}, GONE),
    ],
)
def test_an_id_tells_whether_there_is_such_a_record(
    as_: Open, tool: str, key: str, others: dict[str, str], absent: tuple[str, str]
) -> None:
    status, text = told(as_, GITA, tool, **{key: HIDDEN}, **others)

    assert status == "denied"
    assert HIDDEN not in text
    assert told(as_, GITA, tool, **{key: ABSENT}, **others) == absent


def test_a_denial_says_nothing_of_the_record(as_: Open) -> None:
    said = "Access denied (conversations.read). No rule lets you read this record of conversations."

    for who, key in ((GITA, "CV-00003"), (CEO, "CV-00001"), (CEO, "CV-00002")):
        assert told(as_, who, "conversations.read", conversation_id=key) == ("denied", said)


def test_the_id_of_a_file_is_its_path(as_: Open) -> None:
    assert told(as_, HARI, "github.read", file_id="pay/parser:src/parse.py")[0] == "denied"
    assert told(as_, HARI, "github.read", file_id="pay/parser:src/no.py") == NOTHING


def test_the_id_of_a_new_record_tells_how_many_there_were(as_: Open) -> None:
    readable = as_(GITA).call("conversations.read", {"limit": 50}).value["total"]
    made = as_(GITA).call("conversations.create", {"recipient": "Hari", "text": "Hello"})

    assert readable == 2
    assert "CV-00004" in made.text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("enterprise_mail_system.read", {"limit": 50}),
        ("enterprise_mail_system.read", {"query": "salary letter", "limit": 50}),
        ("enterprise_mail_system.read", {"thread_id": "THR-000002"}),
        ("tables.query", {"sql": "SELECT count(*) AS n FROM mail WHERE email_id = 'EM-000003'"}),
        ("tables.query", {"sql": "SELECT max(email_id) AS n FROM mail"}),
    ],
)
def test_lists_searches_counts_and_statements_do_not_tell(
    as_: Open, tool: str, arguments: dict[str, Any]
) -> None:
    """They answer as if the record had never been; a call that asks for no id has no denial."""
    status, text = told(as_, GITA, tool, **arguments)

    assert status == "ok"
    assert HIDDEN not in text


def test_a_denied_call_makes_its_demonstration_one_that_nobody_may_read(
    small: Environment, as_: Open
) -> None:
    episode = as_(GITA)
    episode.call("enterprise_mail_system.read", {"email_id": HIDDEN})

    assert DENIED in episode.calls[0].reads
    for person in (CEO, HR_MANAGER, IT_ASSOCIATE, GITA):
        assert small.unreadable(small.persona(person), frozenset({DENIED})) == {DENIED}
