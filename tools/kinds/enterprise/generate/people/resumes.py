"""The resumes of a generated enterprise: what people handed in before they joined."""

from __future__ import annotations

import random
from datetime import timedelta

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.people.profiles import profile
from worksmith.tools.kinds.enterprise.generate.staff import EXECUTIVES
from worksmith.tools.kinds.enterprise.generate.topics import details, domains, said
from worksmith.tools.kinds.enterprise.generate.wording import FEW, fill, texts, vary

_MOVES = 0.2
"""Share of those with experience whose reason has to do with where they are now."""
_WORDS = grammar("resumes")
_MAIL_HOST = "postbox.example"
"""Who applies writes from a private address."""


def add_resumes(draft: Draft) -> None:
    """One resume for most employees. It agrees with their biography, and was written before they joined."""
    numbers = draft.rng("resumes")
    able = [employee for employee in draft.people if employee.department not in EXECUTIVES]
    chosen = numbers.sample(able, min(len(able), draft.counts.resumes))
    chosen.sort(key=lambda employee: employee.emp_id)
    for number, employee in enumerate(chosen, start=1):
        _add(draft, draft.rng("resumes", employee.emp_id), f"RES-{number:04d}", employee)


def _add(draft: Draft, numbers: random.Random, resume_id: str, employee: Employee) -> None:
    known = profile(draft, employee)
    entry = texts("employees")["departments"][employee.department]["associate"]
    facts = {"applied_for": numbers.choice(entry), "degree": known.degree, "college": known.college}
    if known.years:
        facts |= {"employer": known.employer, "years_before": str(known.years)}
    skills = numbers.sample(employee.skills, 3)
    slots = facts | {
        "skills": ", ".join(skills),
        "certificates": " and ".join(known.certificates),
        "languages": known.spoken(),
        "interest": known.interest,
    }
    ref = draft.add(
        "resumes",
        resume_id=resume_id,
        emp_id=employee.emp_id,
        category=employee.department_name,
        name=employee.name,
        email=f"{employee.name.lower().replace(' ', '.')}@{_MAIL_HOST}",
        created_date=employee.doj - timedelta(days=numbers.randint(14, 75)),
        file_path=f"resumes/{resume_id}.txt",
        content=_content(draft.industry, numbers, employee, skills, facts, slots),
    )
    draft.latent(ref, "resume", facts, (reference("employees", employee.emp_id),))


def _content(
    industry: Industry,
    numbers: random.Random,
    employee: Employee,
    skills: list[str],
    facts: dict[str, str],
    slots: dict[str, str],
) -> str:
    other, data = _WORDS.data["other"], _WORDS.data

    def changing() -> dict[str, str]:
        return slots | {"few": numbers.choice(FEW), "skill": numbers.choice(skills)}

    def say(name: str, **more: str) -> str:
        return fill(vary(numbers, numbers.choice(other[name])), changing() | more)

    experienced = "years_before" in facts
    sentences = [_WORDS.say(numbers, slot, changing()) for slot in facts]
    if not experienced:
        sentences.append(say("fresh"))
    achieved = numbers.sample(data["done" if experienced else "learned"][employee.department], 2)
    for one in achieved:
        sentences.append(fill(one, {"n": str(numbers.randint(10, 60)), "few": numbers.choice(FEW)}))
    topics = [one for some in domains(industry, employee.department).values() for one in some]
    bank = details(industry, numbers.choice(topics))
    elsewhere = [form for form in bank.done if "{unit}" not in form]
    if experienced and elsewhere:
        sentences.append(say("reported", done=said(numbers, numbers.choice(elsewhere))))
    sentences.append(say("seen", gain=bank.say(numbers, "gain")))
    if slots["certificates"]:
        sentences.append(say("certificates"))
    reason = "moving" if experienced and numbers.random() < _MOVES else "reason"
    return " ".join([*sentences, *map(say, ("skills", "languages", "closing", reason))])
