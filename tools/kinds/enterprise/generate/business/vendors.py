"""The vendors of a generated enterprise: businesses that supply it."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tools.kinds.enterprise.generate.business.partners import (
    address,
    described,
    mailbox,
    new_name,
    onboarding_day,
    representatives,
    tax_id,
)
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee, Vendor
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.people.names import outsiders

_WORDS = grammar("vendors")
_SINCE = date(2013, 4, 1)
_LEVELS = ("09", "10", "12")
_RISKS = (5, 3, 2)
_PAYMENT_DAYS = ("15", "30", "45", "60", "90")
_TAX_NUMBERS_FROM = 5000
"""Clients have the lower ones."""


def add_vendors(draft: Draft) -> None:
    """Vendors, each a source of one kind of product, looked after by Management.

    The truths: what they supply, lead time and payment term in days, the contract's last day, rebate, risk,
    and the main concern.
    """
    numbers = draft.rng("vendors")
    total = draft.counts.vendors
    used = {client.name for client in draft.clients}
    known = {client["contact_person_name"] or "" for client in draft.records("clients")}
    known |= {e.name for e in draft.people} | {c.name for c in draft.customers}
    people = outsiders(draft.rng("vendors", "contacts"), known)
    kinds = sorted({product.kind for product in draft.products})
    staff = representatives(numbers, draft, "MA", _LEVELS, total)
    for number, representative in enumerate(staff, start=1):
        industry = numbers.choice(_WORDS.data["industries"])
        vendor = Vendor(
            vendor_id=f"VEN-{number:04d}",
            name=new_name(numbers, _WORDS.data["forms"], industry, used),
            industry=industry,
            supplies=f"the {numbers.choice(kinds)} range",
            emp_id=representative.emp_id,
        )
        draft.vendors.append(vendor)
        _add(draft, draft.rng("vendors", number), number, vendor, representative, next(people))


def _add(
    draft: Draft, numbers: random.Random, number: int, vendor: Vendor, representative: Employee, contact: str
) -> None:
    onboarded = onboarding_day(numbers, draft, representative, _SINCE)
    facts = {
        "supplies": vendor.supplies,
        "lead_time": str(numbers.randint(4, 60)),
        "payment": numbers.choice(_PAYMENT_DAYS),
        "contract_end": (draft.today + timedelta(days=numbers.randint(10, 900))).isoformat(),
        "rebate": str(numbers.randint(1, 12)),
        "risk": numbers.choices(_WORDS.data["pools"]["risk"], _RISKS)[0],
        "concern": _WORDS.value(numbers, "concern"),
    }
    slots = {"name": vendor.name, "year": str(onboarded.year)}
    ref = draft.add(
        "vendors",
        vendor_id=vendor.vendor_id,
        business_name=vendor.name,
        industry=vendor.industry,
        business_type=numbers.choice(_WORDS.data["types_of_business"]),
        contact_person_name=contact,
        contact_email=mailbox(contact, vendor.name),
        registered_address=address(numbers),
        tax_id=tax_id(numbers, _TAX_NUMBERS_FROM + number),
        onboarding_date=onboarded,
        relationship_description=described(numbers, _WORDS, facts, slots),
        emp_id=vendor.emp_id,
    )
    draft.latent(ref, "relationship", facts, (reference("employees", vendor.emp_id),))
