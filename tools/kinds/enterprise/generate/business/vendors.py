"""The vendors of a generated enterprise: businesses that supply it."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import cache

from worksmith.tools.kinds.enterprise.generate.business.partners import (
    address,
    described,
    mailbox,
    new_name,
    onboarding_day,
    representatives,
    tax_id,
)
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee, Vendor
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.people.names import outsiders
from worksmith.tools.kinds.enterprise.generate.wording import texts


@cache
def vendor_grammar(industry: Industry) -> Grammar:
    """The sentences about vendors; the concerns that there may be are those of all industries."""
    data, industries = texts("vendors"), industry.vendors.values()
    concerns = {one for industry in industries for one in industry["concerns"]}
    concerns |= {one for industry in industries for known in industry["supplies"].values() for one in known}
    return Grammar({**data, "pools": {**data["pools"], "concern": sorted(concerns)}})


_SINCE = date(2013, 4, 1)
_LEVELS = ("09", "10", "12")
_RISKS = (5, 3, 2)
_PAYMENT_DAYS = ("15", "30", "45", "60", "90")
_TAX_NUMBERS_FROM = 5000
"""Clients have the lower ones."""


def add_vendors(draft: Draft) -> None:
    """Vendors, each a source of something, looked after by Management.

    A vendor's industry decides its name, what it supplies and what may go wrong. The truths: what
    they supply, lead time and payment term in days, the contract's last day, rebate, risk, the main concern.
    """
    numbers = draft.rng("vendors")
    industries = draft.industry.vendors
    total = draft.counts.vendors
    used = {client.name for client in draft.clients}
    known = {client["contact_person_name"] or "" for client in draft.records("clients")}
    known |= {e.name for e in draft.people} | {c.name for c in draft.customers}
    people = outsiders(draft.rng("vendors", "contacts"), known)
    staff = representatives(numbers, draft, "MA", _LEVELS, total)
    for number, representative in enumerate(staff, start=1):
        industry = numbers.choice(list(industries))
        vendor = Vendor(
            vendor_id=f"VEN-{number:04d}",
            name=new_name(numbers, industries[industry]["forms"], industry, used),
            industry=industry,
            supplies=numbers.choice(list(industries[industry]["supplies"])),
            emp_id=representative.emp_id,
        )
        draft.vendors.append(vendor)
        _add(draft, draft.rng("vendors", number), number, vendor, representative, next(people))


def _add(
    draft: Draft, numbers: random.Random, number: int, vendor: Vendor, representative: Employee, contact: str
) -> None:
    onboarded = onboarding_day(numbers, draft, representative, _SINCE)
    industry, words = draft.industry.vendors[vendor.industry], vendor_grammar(draft.industry)
    facts = {
        "supplies": vendor.supplies,
        "lead_time": str(numbers.randint(*industry["days"])),
        "payment": numbers.choice(_PAYMENT_DAYS),
        "contract_end": (draft.today + timedelta(days=numbers.randint(10, 900))).isoformat(),
        "rebate": str(numbers.randint(1, 12)),
        "risk": numbers.choices(words.data["pools"]["risk"], _RISKS)[0],
        "concern": numbers.choice([*industry["concerns"], *2 * industry["supplies"][vendor.supplies]]),
    }
    slots = {"name": vendor.name, "year": str(onboarded.year)}
    ref = draft.add(
        "vendors",
        vendor_id=vendor.vendor_id,
        business_name=vendor.name,
        industry=vendor.industry,
        business_type=numbers.choice(industry["types"]),
        contact_person_name=contact,
        contact_email=mailbox(contact, vendor.name),
        registered_address=address(numbers),
        tax_id=tax_id(numbers, _TAX_NUMBERS_FROM + number),
        onboarding_date=onboarded,
        relationship_description=described(
            numbers, words, facts, slots, numbers.sample(industry["scene"], 2)
        ),
        emp_id=vendor.emp_id,
    )
    draft.latent(ref, "relationship", facts, (reference("employees", vendor.emp_id),))
