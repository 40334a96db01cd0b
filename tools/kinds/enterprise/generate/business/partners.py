"""What clients and vendors have in common: names, addresses, numbers, and who looks after them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import count

from worksmith.tools.generating.apportion import degrees
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.topics import said
from worksmith.tools.kinds.enterprise.generate.wording import pick, texts

_PLAIN_ATTEMPTS = 30
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def new_name(numbers: random.Random, forms: list[str], industry: str, used: set[str]) -> str:
    """A business name that is not in `used`; adds it. Where names run short, a city is added."""
    words, surnames = texts("clients")["words"], texts("names")["surnames"].split()
    for attempt in count():
        slots = {"word": numbers.choice(words), "surname": numbers.choice(surnames), "industry": industry}
        name = pick(numbers, forms, slots)
        if attempt >= _PLAIN_ATTEMPTS:
            name = f"{name}, {numbers.choice(texts('names')['cities'])}"
        if name not in used:
            break
    used.add(name)
    return name


def mailbox(contact: str, business: str) -> str:
    """The address of a contact person in the domain of their business."""
    host = "".join(letter for letter in business.lower() if letter.isalpha())
    return f"{contact.lower().replace(' ', '.')}@{host}.example"


def address(numbers: random.Random) -> str:
    """A street, a city and a code that no post office uses."""
    street, city = numbers.choice(texts("clients")["streets"]), numbers.choice(texts("names")["cities"])
    return f"{numbers.randint(1, 240)} {street}, {city} 0{numbers.randint(10000, 99999)}"


def tax_id(numbers: random.Random, number: int) -> str:
    """Fifteen characters like a tax number's, different for each `number`; 00 is not a state's code."""
    letters = "".join(numbers.choice(_LETTERS) for _ in range(5))
    return f"00{letters}{number:04d}{numbers.choice(_LETTERS)}1Z{numbers.randint(1, 9)}"


def phone_number(numbers: random.Random) -> str:
    """In an area code that does not exist."""
    return f"+91 00 {numbers.randint(2000, 9999)} {numbers.randint(1000, 9999)}"


def representatives(
    numbers: random.Random, draft: Draft, department: str, levels: tuple[str, ...], total: int
) -> list[Employee]:
    """One for each of `total` partners; few have many. All are in office, and here for some time."""
    since = draft.today - timedelta(days=400)
    staff = [e for e in draft.people.active if e.department == department and e.level in levels]
    settled = [e for e in staff if e.doj < since] or staff
    many = max(1, min(len(settled), total // 5))
    chosen = numbers.sample(settled, many)
    counts = degrees(numbers, total, many, 2, 16)
    found = [e for e, count in zip(chosen, counts, strict=True) for _ in range(count)]
    numbers.shuffle(found)
    return found


def onboarding_day(numbers: random.Random, draft: Draft, representative: Employee, since: date) -> date:
    """A day on which the representative was employed."""
    first = max(since, representative.doj + timedelta(days=7))
    last = max(first, draft.today - timedelta(days=60))
    return min(draft.today, first + timedelta(days=numbers.randint(0, (last - first).days)))


def described(
    numbers: random.Random,
    words: Grammar,
    facts: Mapping[str, str],
    slots: Mapping[str, str],
    more: Sequence[str] = (),
) -> str:
    """An opening, what else there is to say, and a sentence for each fact, in their order."""
    opening = pick(numbers, words.data["other"]["opening"], slots)
    forms = [said(numbers, form) for form in more]
    return " ".join([opening, *forms, *(words.say(numbers, slot, facts) for slot in facts)])
