"""Which of the published answers the world itself can confirm."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from worksmith.evals.tasks.task import Entity

Row = Mapping[str, str | None]

How = Literal["record_field", "selection", "named_record", "named_records", "reference_only"]
"""By what an answer is checked: the persona's own record; a selection made again; a single record that the
published answer names, which exists and is the persona's, or all of several; or nothing but a judge's
reading."""

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_IDS = re.compile(rf"\b(?:{_UUID}|THR_\d{{8}}_[0-9a-f]{{6}})\b")
_TICKET_IDS = re.compile(
    r"\bids?\b[^.,;\d\n]{0,70}?[:\s#'`]+(\d{3,5}(?:(?:,| and|, and) \d{3,5})*)\b(?!-)", re.IGNORECASE
)
_ONE_ID = re.compile(r"\b(?:conversation|e-?mail|thread|ticket|issue) id\b", re.IGNORECASE)
_SEVERAL_IDS = re.compile(r"\b(?:conversation|e-?mail|thread|ticket|issue) ids\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9][\w-]*")
_PRIORITY_LIST = re.compile(r"\b(high|medium|low)-priority\b.*\btickets\b", re.IGNORECASE)

_FIELDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"\bsalary\b", "amount", ("salary",)),
    (r"\bperformance rating\b", "number", ("performance_rating",)),
    (r"\bmarital status\b", "text", ("marital_status",)),
    (r"\bage\b", "number", ("age",)),
    (r"\bcasual leaves?\b", "number", ("total_casual_leaves", "remaining_casual_leaves")),
    (r"\bsick leaves?\b", "number", ("total_sick_leaves", "remaining_sick_leaves")),
    (r"\bvacation (?:leaves?|days?)\b", "number", ("total_vacation_leaves", "remaining_vacation_leaves")),
)
"""Possible subjects of a question about one's own record."""

_PRODUCT_FIGURES = re.compile(r"^what (?:is|are) the\b.*\b(?:price|discount|rating)\b", re.IGNORECASE)
_TOTALS = re.compile(r"\b(?:total|allocated|breakdown)\b", re.IGNORECASE)
_OTHER_MATTERS = re.compile(
    r"\bpolicy|\bpromotion|\bcompare|\baverage|\bwhy\b|\bhow (?:does|do|is)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Checked:
    """The world's facts about a published answer.

    Attributes:
        how: by what the answer can be checked.
        nothing: whether the right answer is empty.
        fault: kind and reason, if the world contradicts it.
    """

    how: How = "reference_only"
    entities: tuple[Entity, ...] = ()
    must_read: tuple[str, ...] = ()
    nothing: bool = False
    fault: tuple[str, str] | None = None


class WorldFacts:
    """The imported rows, by what is asked of them."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self._rows = rows

    def has(self, source: str) -> bool:
        """Whether there is any record of a source."""
        return bool(self._rows.get(source))

    @cached_property
    def employees(self) -> dict[str, Row]:
        return {str(row["emp_id"]): row for row in self._rows.get("employees", ())}

    @cached_property
    def products(self) -> dict[str, Row]:
        return {str(row["product_id"]): row for row in self._rows.get("products", ())}

    def sales_of(self, product_id: str) -> list[Row]:
        return [row for row in self._rows.get("sales", ()) if row["product_id"] == product_id]

    @cached_property
    def owners(self) -> dict[str, tuple[str, str, frozenset[str | None]]]:
        """For each id of a conversation, mail, thread or issue: its kind, its record, whose it is."""
        found: dict[str, tuple[str, str, frozenset[str | None]]] = {}
        for row in self._rows.get("conversations", ()):
            people = frozenset((row["sender_emp_id"], row["recipient_emp_id"]))
            key = str(row["conversation_id"])
            found[key] = ("conversation_id", f"conversations/{key}", people)
        for row in self._rows.get("mail", ()):
            people = frozenset((row["sender_emp_id"], row["recipient_emp_id"]))
            reference = f"mail/{row['email_id']}"
            found[str(row["email_id"])] = ("email_id", reference, people)
            _, first, others = found.get(str(row["thread_id"]), ("", reference, frozenset()))
            found[str(row["thread_id"])] = ("thread_id", first, people | others)
        for row in self._rows.get("issues", ()):
            key = str(row["issue_id"])
            found[key] = ("issue_id", f"issues/{key}", frozenset((row["emp_id"],)))
        return found

    @cached_property
    def tickets(self) -> dict[str, Row]:
        return {str(row["ticket_id"]): row for row in self._rows.get("tickets", ())}


def check(emp_id: str, query: str, reference: str, apps: Sequence[str], facts: WorldFacts) -> Checked:
    """Compare a published answer with the world.

    Args:
        emp_id: who asks.
        reference: the published answer.
        apps: the applications that the original used for it.
    """
    if list(apps) == ["HR System"]:
        own = _own_record(emp_id, query, reference, facts)
        if own is not None:
            return own
    found: Checked | None = None
    if "IT Solutions" in apps:
        found = _tickets(emp_id, query, reference, facts)
    elif "Sales" in apps:
        found = _product(query, reference, facts)
    return found or _named(emp_id, query, reference, facts)


def _own_record(emp_id: str, query: str, reference: str, facts: WorldFacts) -> Checked | None:
    if _OTHER_MATTERS.search(query):
        return None
    row = facts.employees[emp_id]
    entities = []
    for pattern, kind, columns in _FIELDS:
        if not re.search(pattern, query, re.IGNORECASE):
            continue
        wanted = columns if len(columns) == 1 or _TOTALS.search(query) else columns[1:]
        for column in wanted:
            value = row.get(column)
            if value is None or not _says(reference, value):
                reason = f"the answer does not have the record's {column}, {value}"
                return Checked(fault=("contradicted", reason))
            entities.append(Entity(type=kind, value=value))
    if not entities:
        return None
    return Checked("record_field", tuple(entities), (f"employees/{emp_id}",))


def _says(text: str, value: str) -> bool:
    without_commas = re.sub(r"(?<=\d),(?=\d)", "", text)
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|[.]\d)", without_commas, re.IGNORECASE) is not None


def _tickets(emp_id: str, query: str, reference: str, facts: WorldFacts) -> Checked | None:
    """A list of one's tickets of one priority is drawn again; a single ticket must be there and one's own."""
    named = {number for found in _TICKET_IDS.findall(reference) for number in re.findall(r"\d+", found)}
    if found := _PRIORITY_LIST.search(query):
        return _of_priority(emp_id, found[1].lower(), reference, named, facts)
    if not named:
        return None
    unknown = sorted(named - set(facts.tickets))
    if unknown:
        return Checked(fault=("unknown_record", f"the answer names ticket {unknown[0]}, which is not there"))
    if len(named) == 1 and re.search(r"\b(?:ticket|issue) id\b", query, re.IGNORECASE):
        number = named.pop()
        row = facts.tickets[number]
        if emp_id not in (row["emp_id"], row["raised_by_emp_id"]):
            return Checked(fault=("not_readable", f"ticket {number} is not {emp_id}'s"))
        return _entities("named_record", "ticket_id", [number], [f"tickets/{number}"])
    return None


def _of_priority(emp_id: str, priority: str, reference: str, named: set[str], facts: WorldFacts) -> Checked:
    """One's own tickets are those to resolve, those raised, or both: the published answers vary."""
    rows = [(key, row) for key, row in facts.tickets.items() if row["priority"] == priority]
    drawn = [
        {key for key, row in rows if emp_id in [row[role] for role in roles]}
        for roles in (("emp_id",), ("raised_by_emp_id",), ("emp_id", "raised_by_emp_id"))
    ]
    if not any(drawn) and re.search(rf"\bno {priority}-priority\b", reference, re.IGNORECASE):
        return Checked("selection", nothing=True)
    if named and named in drawn:
        return _entities("selection", "ticket_id", sorted(named), [f"tickets/{key}" for key in sorted(named)])
    return Checked(fault=("contradicted", f"the {priority}-priority tickets are not those named"))


def _product(query: str, reference: str, facts: WorldFacts) -> Checked | None:
    """Figures of one product that the question names by its id."""
    named = {text for text in re.findall(r"\b[A-Z0-9]{10}\b", query) if text in facts.products}
    if len(named) != 1 or not _PRODUCT_FIGURES.search(query):
        return None
    product_id = named.pop()
    row = facts.products[product_id]
    discount = {sale["discount_percentage"] for sale in facts.sales_of(product_id)}
    wanted: list[tuple[str, str | None]] = []
    if re.search(r"\bprice", query, re.IGNORECASE):
        wanted.append(("amount", row["discounted_price"]))
    if re.search(r"\bdiscount", query, re.IGNORECASE):
        wanted.append(("percent", discount.pop() if len(discount) == 1 else None))
    if re.search(r"\brating", query, re.IGNORECASE):
        wanted.append(("number", row["rating"]))
    for kind, value in wanted:
        if value is None or not _says(reference, value):
            return Checked(fault=("contradicted", f"the answer does not have the product's {kind} {value}"))
    entities = tuple(Entity(type=kind, value=value) for kind, value in wanted if value is not None)
    return Checked("record_field", entities, (f"products/{product_id}",))


def _named(emp_id: str, query: str, reference: str, facts: WorldFacts) -> Checked:
    """All records that an answer names must exist, and be the persona's.

    One id is checked where the question asks for one, all of them where it asks for several.
    """
    # Some ids are short words that only the records identify.
    known = (word for word in _WORD.findall(reference) if word in facts.owners and word not in query)
    named = list(dict.fromkeys((*_IDS.findall(reference), *known)))
    for text in (*named, *_IDS.findall(query)):
        if text not in facts.owners:
            return Checked(fault=("unknown_record", f"{text} is not there"))
    for text in named:
        kind, _, people = facts.owners[text]
        if kind != "issue_id" and emp_id not in people:
            return Checked(fault=("not_readable", f"the answer names {text}, which {emp_id} may not read"))
    if len(named) == 1 and _ONE_ID.search(query):
        kind, record, _ = facts.owners[named[0]]
        return _entities("named_record", kind, named, [record])
    records = [facts.owners[text][1] for text in named]
    if named and _SEVERAL_IDS.search(query):
        entities = (Entity(type=facts.owners[text][0], value=text) for text in named)
        return Checked("named_records", tuple(entities), tuple(records))
    # The answer depends on these records, with any statement about them.
    return Checked(must_read=tuple(records))


def _entities(how: How, kind: str, values: Sequence[str], records: Sequence[str]) -> Checked:
    return Checked(how, tuple(Entity(type=kind, value=value) for value in values), tuple(records))
