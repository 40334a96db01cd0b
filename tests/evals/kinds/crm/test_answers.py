"""Answers to CRM questions: the same value in many forms, and never two values for one."""

from __future__ import annotations

import calendar
import string

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row, tables_of
from worksmith.evals.kinds.crm.answers import is_right, months, named, says_none
from worksmith.evals.kinds.crm.task_types import TASK_TYPES, ValueKind
from worksmith.evals.scoring.answers.nothing import trimmed
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.ids import make_id

TABLES = tables_of(__file__)

AGENT, OTHER = make_id("005", 4711), make_id("005", 815)
ARTICLE = make_id("ka0", 3)
CASE = make_id("500", 12)

IDS = st.builds(make_id, st.just("005"), st.integers(0, 62**9 - 1))
SAID = st.sampled_from(
    [
        "{}",
        " {} ",
        "'{}'",
        '"{}".',
        "**{}**",
        "`{}`",
        "The agent is {}.",
        "Id: {}",
        "{}, who handled five cases",
        "[{}]",
        '["{}"]',
        "Ana Roe ({})\n",
    ]
)


def entity(kind: ValueKind, value: str, *alias: str) -> tuple[Entity, ...]:
    return (Entity(type=kind, value=value, alias=alias),)


@given(IDS, SAID, st.booleans())
def test_an_id_is_found_in_any_sentence_with_15_or_18_characters(agent: str, said: str, short: bool) -> None:
    answer = said.format(agent[:15] if short else agent)

    assert named(answer, "user_id") == {agent}
    assert is_right(answer, entity("user_id", agent), "user_id")
    assert not says_none(answer, "user_id")


@given(IDS, st.data())
def test_an_id_with_a_wrong_character_is_no_id(agent: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(15, 17))
    other = data.draw(st.sampled_from(sorted(set(string.ascii_uppercase + "012345") - {agent[place]})))

    assert agent not in named(agent[:place] + other + agent[place + 1 :], "user_id")


@given(IDS)
def test_18_characters_can_be_read_in_any_case(agent: str) -> None:
    assert named(agent.lower(), "user_id") == named(agent.upper(), "user_id") == {agent}


@given(st.lists(IDS, min_size=2, max_size=5, unique=True))
def test_naming_several_is_wrong(agents: list[str]) -> None:
    assert not is_right("; ".join(agents), entity("user_id", agents[0]), "user_id")


def test_ids_of_other_objects_are_no_answers() -> None:
    assert named(f"{CASE} and {ARTICLE}", "article_id") == {ARTICLE}
    assert is_right(
        f"In case {CASE} article {ARTICLE} was broken.", entity("article_id", ARTICLE), "article_id"
    )
    assert not is_right(AGENT[:14], entity("user_id", AGENT), "user_id")
    assert not is_right(AGENT + "x", entity("user_id", AGENT), "user_id")


def test_the_same_id_twice_is_one() -> None:
    assert is_right(f"{AGENT} ({AGENT[:15]})", entity("user_id", AGENT), "user_id")
    assert not is_right(f"{AGENT} or {OTHER}", entity("user_id", AGENT), "user_id")


@given(
    st.integers(1, 12),
    st.integers(1990, 2060),
    st.sampled_from(
        ["{name} {year}", "{year}-{month:02}", "{short} {year}", "{short}. {year}", "{name}, {year}"]
    ),
    st.sampled_from(["{}", "{}.", "It was {}.", "In {} there were 5 cases", "'{}'"]),
)
def test_a_month_of_a_year_however_it_is_written(month: int, year: int, written: str, said: str) -> None:
    name = calendar.month_name[month]
    answer = said.format(written.format(name=name, short=name[:3], year=year, month=month))

    assert months(answer) == {f"{year}-{month:02}"}
    assert is_right(answer, entity("month", f"{year}-{month:02}"), "month")
    assert is_right(answer, entity("month", name), "month")
    assert not is_right(answer, entity("month", f"{year + 1}-{month:02}"), "month")


@each_row(
    ("answer", "found"),
    [
        ("March", {"03"}),
        ("march", {"03"}),
        ("may", {"05"}),
        ("It may be March.", {"03"}),
        ("May", {"05"}),
        ("Sept. 2021", {"2021-09"}),
        ("March (March 2022)", {"2022-03"}),
        ("2022/3", {"2022-03"}),
        ("03/2022", {"2022-03"}),
        ("2022 March", {"2022-03"}),
        ("March of 2022", {"2022-03"}),
        ("from 2021-12-01 to 2022-06-01: March 2022", {"2022-03"}),
        ("on March 4, 2022", set()),
        ("on 4 March 2022", set()),
        ("the 4th of March", set()),
        ("2022-13", set()),
        ("March 2022 or April 2022", {"2022-03", "2022-04"}),
        ("decimal marches", set()),
    ],
)
def test_months(answer: str, found: set[str]) -> None:
    assert months(answer) == found


def test_days_stand_for_their_months_only_where_that_is_asked() -> None:
    assert months('{"CreatedDate": "2022-03-04T09:30:00.000+0000"}', dates=True) == {"2022-03"}
    assert months("2022-03-04") == frozenset()


def test_a_month_without_its_year_is_not_a_month_of_a_year() -> None:
    assert not is_right("March", entity("month", "2022-03"), "month")
    assert is_right("March", entity("month", "March"), "month")
    assert not is_right("March and April", entity("month", "March"), "month")


@each_row(
    ("answer", "found"),
    [
        ("CA", {"CA"}),
        ("ca", {"CA"}),
        ("California", {"CA"}),
        ("california.", {"CA"}),
        ("CA (California)", {"CA"}),
        ("It is in OR, i.e. Oregon", {"OR"}),
        ("it is me or in", set()),
        ("West Virginia", {"WV"}),
        ("Virginia and West  Virginia", {"VA", "WV"}),
        ("Arkansas", {"AR"}),
        ("Washington", {"WA"}),
        ("Washington, D.C.", {"DC"}),
        ("Washington DC", {"DC"}),
        ("District of Columbia", {"DC"}),
        ("ZZ", set()),
        ('[{"ShippingState": "GA", "average": 2.5}]', {"GA"}),
    ],
)
def test_states(answer: str, found: set[str]) -> None:
    assert named(answer, "state") == found


@each_row(
    "answer",
    TABLES["the_ways_to_say_none"],
)
def test_the_ways_to_say_none(answer: str) -> None:
    assert says_none(answer, "user_id")


@each_row(
    "answer",
    [
        "",
        "Ana Roe",
        "I don't know.",
        "No records could be read because access is denied",
        "no idea",
        "The query failed with an error, so None",
        "I could not find anything, for the query is not allowed",
        "None of them but Ana Roe",
        "None of the agents but Ana Roe",
        "None of the agents except Ana Roe qualifies.",
        "None of the queries worked.",
        "None of the records could be read, access is denied",
        f"No other agent: {AGENT}",
        f"None, or else {AGENT}",
        "nonesuch",
    ],
)
def test_what_does_not_say_none(answer: str) -> None:
    assert not says_none(answer, "user_id")


def test_a_sentence_may_say_that_articles_say_nothing() -> None:
    assert says_none("The articles do not mention a limit for hats.", "text")
    assert says_none("This is not specified, but returns take 30 days.", "text")
    assert not says_none("The agent is not specified.", "user_id")
    assert not says_none("Hats can be returned within 30 days.", "text")


def test_an_empty_answer_says_none_if_the_agent_says_so_of_itself() -> None:
    assert says_none("", "state", "not_found")
    assert not says_none("", "state", "answered")


@given(st.text(max_size=80))
def test_no_text_is_both_none_and_a_value(text: str) -> None:
    for task_type in TASK_TYPES.values():
        if task_type.asks != "text" and says_none(text, task_type.asks):
            # A whole answer such as "NA" is none of the values; no state has that code.
            assert not named(text, task_type.asks)


def test_other_spellings_of_a_value_are_as_good() -> None:
    wanted = entity("state", "CA", "NV")

    assert is_right("CA", wanted, "state")
    assert is_right("Nevada", wanted, "state")
    assert not is_right("Utah", wanted, "state")
    assert not is_right("CA", (), "state")


def test_sentences_have_to_name_all_values_and_no_others() -> None:
    wanted = (Entity(type="number", value="30"),)
    asked = "Within how many days is a full refund possible?"

    assert is_right("A full refund is possible within 30 days.", wanted, "text", asked)
    assert is_right("30", wanted, "text", asked)
    assert not is_right("Within 30 or 60 days.", wanted, "text", asked)
    assert not is_right("Within a month.", wanted, "text", asked)


@given(st.text(max_size=40))
def test_trimming_is_done_once(text: str) -> None:
    assert trimmed(trimmed(text)) == trimmed(text)
