"""Whether a generated world is sound."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.tools.kinds.enterprise.generate.checks import (
    described,
    employees,
    products,
    sentiments,
    support_chats,
)
from tests.tools.kinds.enterprise.generate.checks.conversations import verify_conversations
from tests.tools.kinds.enterprise.generate.checks.issues import verify_issues
from tests.tools.kinds.enterprise.generate.checks.mail import verify_mail
from tests.tools.kinds.enterprise.generate.checks.overflow import verify_overflow
from tests.tools.kinds.enterprise.generate.checks.policies import verify_policies
from tests.tools.kinds.enterprise.generate.checks.posts import verify_posts
from tests.tools.kinds.enterprise.generate.checks.repositories import verify_repositories
from tests.tools.kinds.enterprise.generate.checks.tickets import verify_tickets
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.company import LEAVES, TODAY
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.staff import EXECUTIVES, ORDINARY
from worksmith.tools.kinds.enterprise.schema import KEYS

Record = dict[str, str | None]

_ITEM = re.compile(r"^(SAL-\d+) .* (\d+) x (\d+) = (\d+)$", re.MULTILINE)
_TOTAL = re.compile(r"^Total: (\d+) rupees$", re.MULTILINE)

_SOUND = tomllib.loads(Path(__file__).with_name("sound.toml").read_text("utf-8"))

_CHECKS: dict[str, Callable[[Record, Latent, Industry], list[str]]] = {
    "employees": employees.check,
    "products": products.check,
    "sentiments": sentiments.check,
    "support_chats": support_chats.check,
    **dict.fromkeys(described.DESCRIBED, described.check),
}
"""By source: reads one record's truths back from its text."""

_VERIFIERS: tuple[Callable[[Built], list[str]], ...] = (
    verify_conversations,
    verify_mail,
    verify_repositories,
    verify_issues,
    verify_tickets,
    verify_overflow,
    verify_posts,
    verify_policies,
)
"""Each checks its source as a whole."""


def verify(built: Built) -> list[str]:
    """Faults of a world, one line each."""
    sources = {source: built.records(source) for source in KEYS}
    found = [*_duplicates(sources), *_dangling(built, sources)]
    if found:
        return found  # the rest looks records up
    found += _events(sources)
    found += _hierarchy(sources["employees"])
    found += _leaves(sources["employees"])
    found += _trade(sources)
    found += _orders(sources)
    found += _texts(built, sources)
    for check in _VERIFIERS:
        found += check(built)
    return found


def _duplicates(sources: dict[str, list[Record]]) -> Iterator[str]:
    for source, columns in [(source, (key,)) for source, key in KEYS.items()] + _SOUND["unique"]:
        values = Counter(tuple(record[column] for column in columns) for record in sources[source])
        for value, times in values.items():
            if times > 1 or None in value:
                yield f"{source}: {'/'.join(map(str, value))} stands {times} times in {', '.join(columns)}"


def _dangling(built: Built, sources: dict[str, list[Record]]) -> Iterator[str]:
    known = {source: {record[KEYS[source]] for record in records} for source, records in sources.items()}
    for source, links in _SOUND["links"].items():
        for record in sources[source]:
            for column, target in links.items():
                value = record[column]
                if value is not None and value not in known[target]:
                    yield f"{source}/{record[KEYS[source]]}: {column} {value} is not in {target}"
    seen = set()
    for latent in built.latents:
        truths = (latent.ref, latent.kind, tuple(latent.facts.items()))
        if truths in seen:
            yield f"{latent.ref}: the same truths twice"
        seen.add(truths)
        for ref in (latent.ref, *latent.refs):
            source, _, key = ref.partition("/")
            if key not in known.get(source, ()):
                yield f"{latent.ref}: refers to {ref}, which is not there"


def _events(sources: dict[str, list[Record]]) -> Iterator[str]:
    spans = {
        record["emp_id"]: (record["doj"] or "", record["dol"] or TODAY.isoformat())
        for record in sources["employees"]
    }
    for source, person, moment in _SOUND["events"]:
        for record in sources[source]:
            day = (record[moment] or "")[:10]
            first, last = spans.get(record[person], ("", "9999"))
            if day and not first <= day <= last:
                who = record[person]
                yield f"{source}/{record[KEYS[source]]}: {who} was not employed on {day}"


def _hierarchy(employees: list[Record]) -> Iterator[str]:
    people = {record["emp_id"]: record for record in employees}
    for record in employees:
        above = people.get(record["reports_to"])
        if above is None:
            if record["department"] != EXECUTIVES[0]:
                yield f"employees/{record['emp_id']}: reports to nobody"
        elif record["is_valid"] == "TRUE" and above["is_valid"] != "TRUE":
            yield f"employees/{record['emp_id']}: reports to a leaver"
        elif str(above["level"]) <= str(record["level"]) and above["department"] not in EXECUTIVES:
            yield f"employees/{record['emp_id']}: reports to nobody above"
    for code in ORDINARY:
        if not any(
            r["department"] == code and r["level"] == "14" and r["is_valid"] == "TRUE" for r in employees
        ):
            yield f"employees: {code} has no director in office"


def _leaves(employees: list[Record]) -> Iterator[str]:
    for record in employees:
        totals = {kind: int(record[f"total_{kind}_leaves"] or 0) for kind in LEAVES}
        left = {kind: int(record[f"remaining_{kind}_leaves"] or 0) for kind in LEAVES}
        taken = sum(totals.values()) - sum(left.values())
        if totals != LEAVES or taken != int(record["total_leaves_taken"] or 0):
            yield f"employees/{record['emp_id']}: leaves are not those of the policy"
        if any(not 0 <= left[kind] <= totals[kind] for kind in LEAVES):
            yield f"employees/{record['emp_id']}: more leave taken than there was"


def _trade(sources: dict[str, list[Record]]) -> Iterator[str]:
    """Prices that do not fit their discount; reviews and support chats before the purchase."""
    bought: dict[tuple[str | None, str | None], str] = {}
    for record in sources["sales"]:
        price, full = float(record["discounted_price"] or 0), float(record["actual_price"] or 0)
        if price > full or str(round(100 * (full - price) / full)) != record["discount_percentage"]:
            yield f"sales/{record['sales_record_id']}: the discount does not fit the prices"
        bought[record["product_id"], record["customer_id"]] = record["date_of_purchase"] or ""
    for source, moment in (("sentiments", "review_date"), ("support_chats", "interaction_date")):
        for record in sources[source]:
            day = bought.get((record["product_id"], record["customer_id"]))
            if day is None or not day < str(record[moment]) <= TODAY.isoformat():
                yield f"{source}/{record[KEYS[source]]}: not after a purchase"
    in_sales = {r["emp_id"] for r in sources["employees"] if r["department"] == "SA"}
    for source in ("sales", "support_chats"):
        for record in sources[source]:
            if record["emp_id"] not in in_sales:
                yield f"{source}/{record[KEYS[source]]}: not done by Sales"


def _orders(sources: dict[str, list[Record]]) -> Iterator[str]:
    """Documents whose items or totals are not the sales of their customer."""
    wanted: dict[str | None, dict[str, tuple[int, int]]] = {}
    for record in sources["sales"]:
        item = (int(record["quantity"] or 0), int(record["discounted_price"] or 0))
        wanted.setdefault(record["customer_id"], {})[str(record["sales_record_id"])] = item
    for record in sources["orders"]:
        ref, text = f"orders/{record['order_id']}", str(record["text"])
        sales = wanted.get(record["customer_id"], {})
        if {sale: (quantity, price) for sale, quantity, price in items(text)} != sales:
            yield f"{ref}: lists other items than were sold"
        total = sum(quantity * price for quantity, price in sales.values())
        if not str(total) == record["total"] == str(stated_total(text)):
            yield f"{ref}: the total is not {total}"


def _texts(built: Built, sources: dict[str, list[Record]]) -> Iterator[str]:
    """Truths that cannot be read back from the texts, or are stated twice for the same thing."""
    for name, check in _CHECKS.items():
        records = {str(record[KEYS[name]]): record for record in sources[name]}
        for latent in built.latents_of(name):
            yield from check(records[latent.ref.partition("/")[2]], latent, built.industry)
    opinions = Counter((latent.refs[:2], latent.facts["aspect"]) for latent in built.latents_of("sentiments"))
    for (about, aspect), times in opinions.items():
        if times > 1:
            yield f"sentiments: {times} reviews on {aspect} by {about}"
    heirs = Counter(latent.facts.get("successor") for latent in built.latents_of("employees"))
    for above, times in heirs.items():
        if above is not None and times > 1:
            yield f"employees: {above} has {times} successors"


def items(text: str) -> Iterator[tuple[str, int, int]]:
    """What the text of an order document lists: sale, quantity, price of one."""
    for match in _ITEM.finditer(text):
        yield match[1], int(match[2]), int(match[3])


def stated_total(text: str) -> int | None:
    """The total that the text of an order document states."""
    found = _TOTAL.search(text)
    return int(found[1]) if found else None
