"""The company's policy documents: a table of clauses, written out as PDF and read back page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from worksmith.retrievers.texts.pdf import pages
from worksmith.tools.generating.pdf import Paragraph, render_pdf
from worksmith.tools.kinds.enterprise.generate.company import NAME
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.grammar import long_day
from worksmith.tools.kinds.enterprise.generate.wording import texts

_UNVALUED = ("required", "forbidden")


@dataclass(frozen=True)
class Clause:
    """One rule of a policy.

    Attributes:
        id: the policy's prefix and the clause's place, e.g. `LV-1`. Tickets and goals refer to it.
        operator: how `value` binds: `is`, `at least`, `within`, `every`, `required`, `forbidden`, ...
        value: a number; `yes` where something is required, `no` where it is forbidden.
        exceptions: the persons or things that it does not apply to, empty without any.
        sentence: the rule in words.
    """

    id: str
    policy: str
    subject: str
    operator: str
    value: str
    unit: str
    exceptions: str
    sentence: str
    reason: str


@dataclass(frozen=True)
class Policy:
    id: str
    title: str
    clauses: tuple[Clause, ...]
    pdf: bytes
    pages: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path under `documents/`."""
        return f"policies/{self.id}.pdf"


def add_policies(draft: Draft) -> None:
    """All documents, and for each page the text that its PDF really shows. The same in every world."""
    for policy in policies():
        draft.documents[policy.path] = policy.pdf
        refs = []
        for number, text in enumerate(policy.pages, 1):
            ref = draft.add(
                "policies",
                page_id=f"{policy.id}-p{number}",
                policy_id=policy.id,
                title=policy.title,
                page=number,
                path=policy.path,
                text=text,
            )
            refs.append((ref, _joined(text)))
        for clause in policy.clauses:
            where = next(ref for ref, text in refs if _shown(clause) in text)
            draft.latent(where, "clause", _facts(clause))


@cache
def policies() -> tuple[Policy, ...]:
    """All policies, made once: they depend on nothing but their text."""
    data = texts("policies")
    return tuple(_policy(one, data["shared"]) for one in data["policies"])


def _policy(data: Mapping[str, Any], shared: Mapping[str, str]) -> Policy:
    clauses = tuple(_clause(data, number, entry) for number, entry in enumerate(data["clauses"], 1))
    effective = date.fromisoformat(data["effective"])
    pdf = render_pdf(f"{NAME}: {data['title']}", data["owner"], effective, _paragraphs(data, shared, clauses))
    return Policy(data["id"], data["title"], clauses, pdf, tuple(pages(pdf)))


def _clause(data: Mapping[str, Any], number: int, entry: list[str]) -> Clause:
    subject, operator, value, unit, exceptions, sentence, reason = entry
    written = sentence.replace("{v}", f"{value} {unit}".strip())
    return Clause(
        f"{data['prefix']}-{number}", data["id"], subject, operator, value, unit, exceptions, written, reason
    )


def _paragraphs(
    data: Mapping[str, Any], shared: Mapping[str, str], clauses: tuple[Clause, ...]
) -> Iterator[Paragraph]:
    slots = {"owner": data["owner"]}
    yield Paragraph(f"{NAME}: {data['title']}", "title")
    yield Paragraph(f"In force since {long_day(data['effective'])}. Responsible: {data['owner']}.")
    sections = {
        "Purpose": [data["purpose"]],
        "Scope": [shared["scope"]],
        "Terms": data["terms"],
        "Rules": [],
        "From practice": data["practice"],
        "Responsibilities": [shared["roles"].format_map(slots)],
        "Requests for exceptions": [shared["exceptions"].format_map(slots)],
        "Breaches": [shared["breach"]],
        "Review": [shared["review"]],
        "Table of clauses": [],
    }
    for number, (heading, lines) in enumerate(sections.items(), 1):
        yield Paragraph(f"{number}. {heading}", "heading", space=1.0)
        yield from (Paragraph(line) for line in lines)
        if heading == "Rules":
            for clause in clauses:
                yield Paragraph(f"{clause.id} {_capital(clause.subject)}.", "strong", space=0.7)
                yield Paragraph(_body(clause), space=0.0)
        elif heading == "Table of clauses":
            yield from (Paragraph(_entry(clause), space=0.1) for clause in clauses)


def _body(clause: Clause) -> str:
    exceptions = f" Exceptions: {clause.exceptions}." if clause.exceptions else ""
    return f"{clause.sentence} {clause.reason}{exceptions}"


def _shown(clause: Clause) -> str:
    """The beginning of the clause on its page."""
    return f"{clause.id} {_capital(clause.subject)}. {clause.sentence}"


def _entry(clause: Clause) -> str:
    value = clause.operator if clause.operator in _UNVALUED else f"{clause.value} {clause.unit}".strip()
    exceptions = clause.exceptions or "none"
    return f"{clause.id}: {clause.subject}; {_bound(clause.operator, value)}; exceptions: {exceptions}."


def _bound(operator: str, value: str) -> str:
    return value if operator in ("is", *_UNVALUED) else f"{operator} {value}"


def _facts(clause: Clause) -> dict[str, str]:
    return {
        "policy": clause.policy,
        "clause": clause.id,
        "subject": clause.subject,
        "operator": clause.operator,
        "value": clause.value,
        "unit": clause.unit,
        "exceptions": clause.exceptions,
    }


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _joined(text: str) -> str:
    """A page's text as one line."""
    return " ".join(text.split())
