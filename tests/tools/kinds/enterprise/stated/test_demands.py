"""Which wordings of a record's text keep its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.kinds.enterprise.generate.worlds import small
from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.grammar import long_day
from tools.kinds.enterprise.generate.industry import packaged
from tools.kinds.enterprise.schema import KEYS
from tools.kinds.enterprise.stated.demands import Demands
from tools.kinds.enterprise.stated.particulars import particulars, sentences
from tools.kinds.enterprise.stated.reader import UnreadError
from tools.kinds.enterprise.stated.texts import COLUMNS, demands

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
    "In the tender of 2021 the choice fell on Teesta Appliances. No motor is packed before it has run for an "
    "hour. What we buy from them: induction cooktops. Between an order and its delivery lie 47 days. For our "
    "payment we have 15 days. Risk rating: low. The contract ends on March 14, 2024. On the volume of a year "
    "we get a rebate of 5%."
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
    "Asha: Hello Kiran, here is the news on the asset register in Silver Monsoon.\n"
    "Kiran: I am all ears.\n"
    "Asha: We are going to write the small differences off. The call was made by Rohan Mehta.\n"
    "Kiran: And the money?\n"
    "Asha: We may spend 765,000 rupees on it.\n"
    "Kiran: Is that the last word?\n"
    "Asha: Please treat this as final."
)
CHAT_ANEW = (
    "Asha: Kiran, let me tell you how it stands with the asset register of Silver Monsoon.\n"
    "Kiran: Please do.\n"
    "Asha: We are going to write the small differences off. It was Rohan Mehta who made the call.\n"
    "Kiran: What about the money?\n"
    "Asha: What we may spend comes to Rs 7,65,000.\n"
    "Kiran: And nobody will change it?\n"
    "Asha: Please treat this as final."
)


def of_vendor(text: str = VENDOR_TEXT) -> Demands:
    return next(demands("vendors", {"relationship_description": text}, [VENDOR], packaged()))


def of_chat() -> Demands:
    return next(demands("conversations", {"text": CHAT_TEXT}, [CHAT], packaged()))


def test_other_words_for_the_same_facts_are_fine() -> None:
    assert of_vendor().objections(VENDOR_ANEW, KNOWN) == []
    assert of_chat().objections(CHAT_ANEW, KNOWN) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (" The contract ends on March 14, 2024.", "", "'2024-03-14' is missing"),
        ("March 14, 2024", "March 15, 2024", "'2024-03-15' is new"),
        ("rebate of 5%", "rebate of 6%", "'6%' is new"),
        ("rebate of 5%", "rebate of 5", "'5%' is missing"),
        ("lie 47 days", "lie some days", "'47' is missing"),
        ("lie 47 days", "lie 47 weeks", "lead time '47 days' is missing"),
        ("lie 47 days", "lie 47 days, or three weeks", "'three' is new"),
        ("Risk rating: low.", "The risk is low.", "missing or changed: 'Risk rating: low.'"),
        ("Risk rating: low.", "Who says this is wrong: Risk rating: low.", "'Risk rating: low.'"),
        ("No motor", "Rohan says that no motor", "name 'rohan' is new"),
        ("On the volume", "In talks with Sunita, on the volume", "name 'sunita' is new"),
        ("Teesta Appliances", "them", "name 'teesta' is missing"),
        ("for an hour", "for an hour at high speed", "'high' must not be said"),
        ("Between an order and its delivery lie 47 days.", "All in all 47 days.", "this is the lead time"),
        ("we have 15 days", "we have never 15 days", "'never' turns what is said of the payment"),
        ("lie 47 days", "lie more than 47 days", "'more than' turns what is said of the lead time"),
        ("The contract ends", "It was agreed that it ends", "this is the contract end"),
        ("In the tender", "They are known, and that bears repeating, " * 12 + "in the tender", "as long"),
    ],
)
def test_what_loses_changes_or_adds_a_fact_of_a_vendor_is_refused(old: str, new: str, said: str) -> None:
    assert old in VENDOR_ANEW
    assert said in " ".join(of_vendor().objections(VENDOR_ANEW.replace(old, new), KNOWN))


def test_values_of_one_type_do_not_change_places() -> None:
    swapped = VENDOR_ANEW.replace("47", "#").replace("15 days", "47 days").replace("#", "15")
    assert any("lead time" in said for said in of_vendor().objections(swapped, KNOWN))
    together = VENDOR_ANEW.replace("47 days. For our payment we have", "47 days, and for our payment we have")
    assert any("need a sentence each" in said for said in of_vendor().objections(together, KNOWN))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("7,65,000", "6,75,000", "'765000 rupees' is missing"),
        ("Rohan Mehta", "Rohan", "name 'mehta' is missing"),
        ("Rohan Mehta who", "Rohan Mehta and Asha Rao who", "name 'rao' is new"),
        ("treat this as final", "treat this as provisional", "'provisional' must not be said"),
        ("Asha: What we may", "Kiran: What we may", "Asha has to name the budget"),
        ("Asha: Please treat", "Kiran: Please treat", "Asha has to say this as it is"),
        ("Kiran: Please do.", "Please do.", "Every line is said by one of: Asha, Kiran."),
        ("Kiran: Please do.", "Bose: Please do.", "Only Asha, Kiran may speak."),
        ("the asset register", "the register", "'asset register' is missing"),
    ],
)
def test_a_dialogue_keeps_who_says_what(old: str, new: str, said: str) -> None:
    assert old in CHAT_ANEW
    assert said in " ".join(of_chat().objections(CHAT_ANEW.replace(old, new), KNOWN))


def test_a_second_statement_of_a_fact_is_refused() -> None:
    twice = f"{CHAT_ANEW} The last word was with Kiran Asha."
    assert any("'Kiran Asha' must not be said" in said for said in of_chat().objections(twice, KNOWN))


def test_a_text_that_does_not_state_its_facts_is_left_alone() -> None:
    with pytest.raises(UnreadError, match="rebate"):
        of_vendor(VENDOR_TEXT.replace("5 per cent", "some per cent"))


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2099, 12, 31)))
def test_days_are_the_same_in_each_form(day: date) -> None:
    iso = str(day)
    assert particulars(f"On {long_day(iso)} it ends.") == particulars(f"{iso}: the end.") == {iso}


@given(st.integers(min_value=1000, max_value=10**8))
def test_sums_are_the_same_in_each_form(amount: int) -> None:
    forms = f"{amount} rupees", f"{amount:,} rupees", f"Rs {amount:,}", f"INR {amount}", f"\u20b9{amount:,}"
    assert {frozenset(particulars(f"It costs {form} now.")) for form in forms} == {
        frozenset({f"{amount} rupees"})
    }


def test_counts_in_words_are_the_same_at_the_beginning_of_a_sentence() -> None:
    assert particulars("Six digits are a good choice.") == particulars("Choose six digits.") == {"six"}


@given(st.sampled_from((of_vendor, of_chat)), st.integers(min_value=0), st.sampled_from("123456789"))
def test_no_digit_may_change(made: Callable[[], Demands], place: int, digit: str) -> None:
    one = made()
    places = [number for number, letter in enumerate(one.text) if letter.isdigit()]
    at = places[place % len(places)]
    changed = f"{one.text[:at]}{digit}{one.text[at + 1 :]}"
    assert bool(one.objections(changed, KNOWN)) == (changed != one.text)


@pytest.mark.slow
@pytest.mark.parametrize("source", COLUMNS)
def test_every_text_of_a_world_is_read_and_holds_as_it_is(source: str) -> None:
    built = small()
    records = {record[KEYS[source]]: record for record in built.records(source)}
    for latent in built.latents_of(source):
        for one in demands(source, records[latent.ref.partition("/")[2]], [latent], packaged()):
            assert one.objections(one.text) == [], latent.ref
            for said in [*(kept.sentence for kept in one.fixed), *_stating(one)]:
                assert one.objections(one.text.replace(said, "")), (latent.ref, said)


def _stating(one: Demands) -> Iterator[str]:
    """For each value of a text the sentence that states it."""
    for value in one.free:
        yield next(said for said in sentences(one.text) if value.stated_by(said))
