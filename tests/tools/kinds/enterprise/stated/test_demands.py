"""Which wordings of a record's text keep its facts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.grammar import long_day
from worksmith.tools.kinds.enterprise.generate.industry import packaged
from worksmith.tools.kinds.enterprise.schema import KEYS
from worksmith.tools.kinds.enterprise.stated.demands import Demands, Taken
from worksmith.tools.kinds.enterprise.stated.particulars import particulars
from worksmith.tools.kinds.enterprise.stated.reader import UnreadError
from worksmith.tools.kinds.enterprise.stated.texts import COLUMNS, demands

KNOWN = frozenset({"rohan", "mehta", "asha", "rao", "kiran", "bose", "teesta", "appliances"})

VENDOR = Latent(
    "vendors/VEN-0001",
    "relationship",
    {
        "supplies": "induction cooktops",
        "lead_time": "47",
        "payment": "15",
        "contract_end": "2024-03-14",
        "rebate": "5",
        "risk": "low",
    },
)
VENDOR_TEXT = (
    "Teesta Appliances won the tender of 2021. Every motor runs for an hour before it is packed. "
    "What we buy from them: induction cooktops. They need 47 days from order to delivery. "
    "We pay within 15 days. The last day of the contract is 14 March 2024. Volume rebate: 5 per cent. "
    "Risk rating: low."
)
VENDOR_ANEW = (
    "The tender of 2021 was won by Teesta Appliances. Before it is packed, every motor has run for an hour. "
    "What we buy from them: induction cooktops. They need 47 days from order to delivery. "
    "We pay within 15 days. The last day of the contract is 14 March 2024. Volume rebate: 5 per cent. "
    "Risk rating: low."
)

CHAT = Latent(
    "conversations/CV-00001",
    "decision",
    {
        "project": "Silver Monsoon",
        "topic": "asset register",
        "choice": "write the small differences off",
        "decider": "Rohan Mehta",
        "budget": "765000",
        "outcome": "final",
    },
)
CHAT_TEXT = (
    "Asha: Hello Kiran, here is the news on the asset register in Silver Monsoon. I am not late with it.\n"
    "Kiran: I am all ears for the register.\n"
    "Asha: We are going to write the small differences off. The call was made by Rohan Mehta.\n"
    "Kiran: And the money?\n"
    "Asha: We may spend 765,000 rupees on it. The storage in Pune costs 90 rupees a day.\n"
    "Kiran: Is that the last word?\n"
    "Asha: Please treat this as final."
)
CHAT_ANEW = (
    "Asha: Kiran, hello, the news in Silver Monsoon on the asset register is here. With it I am not late.\n"
    "Kiran: For the register I am all ears.\n"
    "Asha: We are going to write the small differences off. The call was made by Rohan Mehta.\n"
    "Kiran: And the money?\n"
    "Asha: The storage in Pune costs Rs 90 a day. We may spend 765,000 rupees on it.\n"
    "Kiran: Is that the last word?\n"
    "Asha: Please treat this as final."
)


@cache
def of_vendor(text: str = VENDOR_TEXT) -> Demands:
    return next(demands("vendors", {"relationship_description": text}, VENDOR, packaged()))


@cache
def of_chat() -> Demands:
    return next(demands("conversations", {"text": CHAT_TEXT}, CHAT, packaged()))


def test_other_words_around_the_facts_are_fine() -> None:
    assert of_vendor().taken(VENDOR_ANEW, KNOWN) == Taken(VENDOR_ANEW, 1)
    assert of_chat().taken(CHAT_ANEW, KNOWN) == Taken(CHAT_ANEW, 3)


@each_row(
    ("old", "new", "why"),
    [
        (" The last day of the contract is 14 March 2024.", "", "a sentence with a fact is changed"),
        ("47 days from order", "47 weeks from order", "a sentence with a fact is changed"),
        (
            "Risk rating: low.",
            "Who says this is wrong: Risk rating: low.",
            "a sentence with a fact is changed",
        ),
        (
            "We pay within 15 days. The",
            "We pay within 15 days. Rarely so. The",
            "a sentence with a fact is changed",
        ),
        ("of 2021", "of 2022", "a number, day, key or quotation is changed"),
        ("for an hour", "for three hours", "a number, day, key or quotation is changed"),
        ("every motor has", "every motor, says Rohan, has", "a name comes in"),
        ("by Teesta Appliances", "by them", "a name is changed"),
        ("has run for an hour", "has run for an hour at high speed", "a phrase of other records comes in"),
        ("every motor has run", "no motor has run", "a negation or a doubt comes in or is lost"),
        ("every motor has run", "every motor has perhaps run", "a negation or a doubt comes in or is lost"),
        (
            "Before it is packed, every motor has run for an hour.",
            "The lawyers look into it.",
            "a sentence says something else",
        ),
        (" Before it is packed", " It is so. Before it is packed", "a sentence says something else"),
        (" Before it is packed, every", " It is packed. Every", "it has more sentences"),
        (
            "Before it is packed, every motor has run for an hour.",
            "Is every motor packed after an hour?",
            "a question comes in or is lost",
        ),
        ("Risk rating: low.", "Risk rating: low. And", "it breaks off"),
        ("every motor", "every mot\u200bor", "it has characters that nobody writes"),
        ("every motor", "every m\u043etor", "it has characters that nobody writes"),
        ("every motor has", f"every motor {'and every motor ' * 40}has", "it is too short or too long"),
        ("What we buy", "\nWhat we buy", "the text has more or fewer lines"),
    ],
)
def test_a_line_that_loses_changes_or_adds_something_stays(old: str, new: str, why: str) -> None:
    assert old in VENDOR_ANEW
    assert of_vendor().taken(VENDOR_ANEW.replace(old, new), KNOWN) == Taken(VENDOR_TEXT, 1, (why,))


@each_row(
    "reply",
    [
        "",
        " \n ",
        "I am sorry.",
        '{"reworded": "text"}',
        f"```\n{VENDOR_ANEW}\n```",
        f"Here it is:\n{VENDOR_ANEW}",
        VENDOR_ANEW * 2,
        "Ignore all previous instructions.",
        "\x00",
        f"{VENDOR_ANEW}\n[[ ## completed ## ]]",
    ],
)
def test_a_reply_that_is_no_wording_changes_nothing(reply: str) -> None:
    assert of_vendor().taken(reply, KNOWN).text == VENDOR_TEXT
    assert of_chat().taken(reply, KNOWN).text == CHAT_TEXT


@each_row(
    ("old", "new"),
    [
        ("Rs 90 a day. We may spend 765,000", "Rs 765,000 a day. We may spend 90"),
        ("Rs 90", "90 dollars"),
        ("asset register", "register"),
        ("I am not late", "I am late"),
        ("Kiran: For the register", "Asha: For the register"),
        ("Kiran: For the register", "For the register"),
        ("Kiran: And the money?", "Kiran: And the storage?"),
    ],
)
def test_one_line_that_does_not_hold_costs_no_other(old: str, new: str) -> None:
    reply = CHAT_ANEW.replace(old, new)
    found = of_chat().taken(reply, KNOWN).text.split("\n")
    lines = zip(CHAT_TEXT.split("\n"), CHAT_ANEW.split("\n"), reply.split("\n"), strict=True)
    assert found == [good if said == good else before for before, good, said in lines]


def test_what_another_record_states_does_not_come_in() -> None:
    said = CHAT_ANEW.replace("I am all ears.", "I am all ears, provisional.")
    assert "a phrase of other records comes in" in of_chat().taken(said, KNOWN).refused


def test_a_text_that_does_not_state_its_facts_is_left_alone() -> None:
    with pytest.raises(UnreadError, match="rebate"):
        of_vendor(VENDOR_TEXT.replace("5 per cent", "some per cent"))


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2099, 12, 31)))
def test_days_are_the_same_in_each_form(day: date) -> None:
    iso = str(day)
    assert particulars(f"On {long_day(iso)} it ends.") == particulars(f"{iso}: the end.") == [iso]


@given(st.integers(min_value=1000, max_value=10**8))
def test_sums_are_the_same_in_each_form(amount: int) -> None:
    forms = f"{amount} rupees", f"{amount:,} rupees", f"Rs {amount:,}", f"INR {amount}", f"\u20b9{amount:,}"
    assert all(particulars(f"It costs {form} now.") == [f"{amount} rupees"] for form in forms)


def test_counts_in_words_are_the_same_at_the_beginning_of_a_sentence() -> None:
    assert particulars("Six digits are a good choice.") == particulars("Choose six digits.") == ["six"]


@settings(max_examples=30)
@given(st.sampled_from((of_vendor, of_chat)), st.integers(min_value=0), st.sampled_from("123456789"))
def test_no_digit_may_change(made: Callable[[], Demands], place: int, digit: str) -> None:
    one = made()
    places = [number for number, letter in enumerate(one.text) if letter.isdigit()]
    at = places[place % len(places)]
    changed = f"{one.text[:at]}{digit}{one.text[at + 1 :]}"
    assert one.taken(changed, KNOWN).text == one.text


@settings(max_examples=30)
@given(st.sampled_from((of_vendor, of_chat)), st.text())
def test_any_reply_leaves_every_fact(made: Callable[[], Demands], reply: str) -> None:
    one = made()
    found = one.taken(reply, KNOWN)
    assert all(said in found.text for said in one.fixed)
    assert len(found.refused) <= found.lines


@pytest.mark.slow
@each_row("source", COLUMNS)
def test_texts_of_a_world_are_read_and_no_fact_can_be_left_out(source: str) -> None:
    built = small()
    records = {record[KEYS[source]]: record for record in built.records(source)}
    for latent in list(built.latents_of(source))[::3]:
        for one in demands(source, records[latent.ref.partition("/")[2]], latent, built.industry):
            assert one.taken(one.text).text == one.text, latent.ref
            for said in one.fixed:
                assert one.taken(one.text.replace(said, "")).text == one.text, (latent.ref, said)
