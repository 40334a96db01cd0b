"""The issues of the code repositories: faults with a failing test, and the patches that mended them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date

from worksmith.tools.kinds.enterprise.generate.code.code_files import Bug, CodeFile
from worksmith.tools.kinds.enterprise.generate.code.patches.modules import make_diff
from worksmith.tools.kinds.enterprise.generate.code.repositories import file_id
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Citable
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.wording import pick

_CITING = 0.2


def add_issues(draft: Draft, files: Sequence[CodeFile]) -> None:
    """All issues of these files, by the day of their report."""
    found = [(bug.opened, file_id(file), n, file, bug) for file in files for n, bug in enumerate(file.bugs)]
    found.sort(key=lambda one: one[:3])
    for number, (_, _, _, file, bug) in enumerate(found, 1):
        _add(draft, draft.rng("issues", file_id(file), bug.planted.name), f"ISS-{number:04d}", file, bug)


def _add(draft: Draft, numbers: random.Random, key: str, file: CodeFile, bug: Bug) -> None:
    repository, planted = file.repository, bug.planted
    assert file.module is not None
    facts = {
        "project": repository.project.name,
        "topic": repository.topic,
        "path": file.path,
        "function": planted.name,
        "call": planted.call,
        "expected": planted.expected,
        "severity": grammar("issues").value(numbers, "severity"),
    }
    crash = planted.got.startswith("raises ")
    facts["error" if crash else "got"] = planted.got.removeprefix("raises ")
    cited = _ticket(draft, numbers, repository.project.name, bug.opened)
    description = _description(numbers, facts, cited)
    title = numbers.choice(grammar("issues").data["title"]["crash" if crash else "wrong"]).format_map(facts)
    fixed = file.module.text
    ref = draft.add(
        "issues",
        issue_id=key,
        repo_name=repository.name,
        path=file.path,
        title=title[0].upper() + title[1:] if title.startswith(repository.topic) else title,
        description=description,
        status="closed" if bug.closed else "open",
        created_at=bug.opened,
        closed_at=bug.closed,
        emp_id=bug.author.emp_id,
        patch=make_diff(planted.code, fixed, file.path) if bug.closed else None,
    )
    truth = {
        "status": "closed" if bug.closed else "open",
        "operator": planted.operator,
        "line": str(planted.line),
        "code": planted.code,
        "fixed": fixed,
        "tests": file.module.tests,
    }
    refs = (reference("repositories", file_id(file)), *((cited.ref,) if cited else ()))
    draft.latent(ref, "bug", {**facts, **truth}, refs)
    people = frozenset({bug.author.emp_id, repository.owner.emp_id})
    draft.cite(repository.project.name, Citable(ref, key, bug.opened, people))


def _ticket(draft: Draft, numbers: random.Random, project: str, day: date) -> Citable | None:
    if numbers.random() >= _CITING:
        return None
    tickets = [
        one for one in draft.citable.get(project, []) if one.ref.startswith("tickets/") and one.day <= day
    ]
    return numbers.choice(tickets) if tickets else None


def _description(numbers: random.Random, facts: dict[str, str], cited: Citable | None) -> str:
    words = grammar("issues")
    opening, closing = words.data["opening"]["lines"], words.data["closing"]["lines"]
    order = ["function", "path", "call", "expected", "error" if "error" in facts else "got"]
    if numbers.random() < 0.5:
        order[3], order[4] = order[4], order[3]
    sentences = [words.say(numbers, slot, facts) for slot in order]
    first = f"{words.fill(numbers.choice(opening), facts)} {sentences[0]} {sentences[1]}"
    last = f"{words.say(numbers, 'severity', facts)} {words.fill(numbers.choice(closing), facts)}"
    if cited:
        last = f"{last} {pick(numbers, words.data['closing']['ticket'], {'key': cited.key})}"
    return f"{first}\n\n{' '.join(sentences[2:])}\n\n{last}"
