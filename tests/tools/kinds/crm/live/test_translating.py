"""Asking an org in the ids of a world that was moved to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.crm.live.conftest import name_org
from tests.tools.kinds.crm.rest.running import Served
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.ids import make_id, with_checksum
from worksmith.tools.kinds.crm.live.ids import TranslatedOrg, their_values, with_ids
from worksmith.tools.kinds.crm.live.org import SalesforceOrg
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.soql_engine import QueryResult
from worksmith.tools.kinds.crm.sosl.sosl_engine import SearchResult
from worksmith.tools.world import World

OURS = [make_id("500", number) for number in range(1, 5)]
THEIRS = [with_checksum(f"500Xy0000000{number:03}") for number in range(1, 5)]
PAIRS = dict(zip(OURS, THEIRS, strict=True))


class Echo:
    """An org that finds what it was asked, as a record, or refuses it in the same words."""

    def query(self, soql: str) -> QueryResult:
        if "refuse" in soql:
            raise QueryError("MALFORMED_QUERY", f"not this: {soql}")
        return QueryResult(1, [{"Said": soql, "Id": THEIRS[0], "Child": {"records": [{"Of": THEIRS[1]}]}}])

    def search(self, sosl: str) -> SearchResult:
        return SearchResult(self.query(sosl).records)


def sent(statement: str) -> str:
    """What reaches the org."""
    seen: list[str] = []

    class Watch(Echo):
        def query(self, soql: str) -> QueryResult:
            seen.append(soql)
            return super().query(soql)

    TranslatedOrg(Watch(), PAIRS).query(statement)
    return seen[0]


@given(st.lists(st.sampled_from([*OURS, "'", " ", "x", "Id = ", "\n", "0" * 18]), max_size=12).map("".join))
def test_what_one_asks_comes_back_as_one_said_it(statement: str) -> None:
    found = TranslatedOrg(Echo(), PAIRS).query(statement).records[0]

    assert found["Said"] == statement
    assert (found["Id"], found["Child"]["records"][0]["Of"]) == (OURS[0], OURS[1])


def test_ids_of_15_characters_and_in_any_case_are_known_too() -> None:
    short = OURS[2][:15]

    assert sent(f"SELECT Id FROM Case WHERE Id IN ('{short}', '{OURS[3].upper()}')") == (
        f"SELECT Id FROM Case WHERE Id IN ('{THEIRS[2]}', '{THEIRS[3]}')"
    )


@each_row("text", ["responsibilities", "0" * 15, "a" * 18, f"{OURS[0]}x", f"x{OURS[0]}", ""])
def test_what_only_looks_like_an_id_stays(text: str) -> None:
    assert sent(f"FIND {{{text}}}") == f"FIND {{{text}}}"
    assert with_ids(text, PAIRS) == text


def test_errors_speak_of_the_worlds_records() -> None:
    with pytest.raises(QueryError) as met:
        TranslatedOrg(Echo(), PAIRS).search(f"refuse {OURS[0]}")

    assert (met.value.code, met.value.message) == ("MALFORMED_QUERY", f"not this: refuse {OURS[0]}")


def test_lists_of_ids_in_a_text_are_translated() -> None:
    row: dict[str, Any] = dict.fromkeys(OBJECTS["EmailMessage"].columns)
    row |= {"Id": "02s", "ParentId": OURS[0], "ToIds": f'["{OURS[1]}", "?"]', "TextBody": OURS[1]}

    values = their_values(OBJECTS["EmailMessage"], ["ParentId", "ToIds", "TextBody", "Subject"], row, PAIRS)

    assert values == {"ParentId": THEIRS[0], "ToIds": f'["{THEIRS[1]}", "?"]', "TextBody": OURS[1]}


def test_a_reference_to_nothing_is_told() -> None:
    row: dict[str, Any] = dict.fromkeys(OBJECTS["EmailMessage"].columns)
    row |= {"Id": "02s1", "ParentId": make_id("500", 99)}

    with pytest.raises(InputError, match="EmailMessage 02s1: ParentId refers to 500"):
        their_values(OBJECTS["EmailMessage"], ["ParentId"], row, PAIRS)


@pytest.mark.usefixtures("trusting")
def test_results_on_a_live_org_are_not_taken_for_those_on_the_world(
    world: World, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_org(monkeypatch, server)
    env = Environment(world)
    digests = [env.digest]
    live = SalesforceOrg.from_env()
    for backend in (live, TranslatedOrg(live, PAIRS)):
        env.connect(backend)
        digests.append(env.digest)

    assert len(set(digests)) == 3
    env.connect(SalesforceOrg.from_env())
    assert env.digest == digests[1]
