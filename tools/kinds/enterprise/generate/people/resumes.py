"""The resumes of a generated enterprise: what people handed in before they joined."""

from __future__ import annotations

import random
from datetime import timedelta

from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.people.profiles import profile
from tools.kinds.enterprise.generate.staff import EXECUTIVES
from tools.kinds.enterprise.generate.wording import FEW, fill, pick, texts

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
    slots = facts | {
        "skills": ", ".join(numbers.sample(employee.skills, 3)),
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
        content=_content(numbers, employee.department, facts, slots),
    )
    draft.latent(ref, "resume", facts, (reference("employees", employee.emp_id),))


def _content(numbers: random.Random, department: str, facts: dict[str, str], slots: dict[str, str]) -> str:
    other, data = _WORDS.data["other"], _WORDS.data
    experienced = "years_before" in facts
    sentences = [_WORDS.say(numbers, slot, facts) for slot in facts]
    if not experienced:
        sentences.append(pick(numbers, other["fresh"], slots))
    achieved = numbers.sample(data["done" if experienced else "learned"][department], 2)
    for one in achieved:
        sentences.append(fill(one, {"n": str(numbers.randint(10, 60)), "few": numbers.choice(FEW)}))
    if slots["certificates"]:
        sentences.append(pick(numbers, other["certificates"], slots))
    sentences += [pick(numbers, other[name], slots) for name in ("skills", "languages", "closing", "reason")]
    return " ".join(sentences)
