"""Which files the repositories hold and what is wrong with them: planned before rows are made of it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from string import Template

from tools.kinds.enterprise.generate.code.patches.modules import Module, Planted, draw_module, plant
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee, Project
from tools.kinds.enterprise.generate.projects import colleagues, workday
from tools.kinds.enterprise.generate.wording import texts

PYTHON = "Python"
_FILES_EACH = (2, 3, 4, 4, 5, 6)
_LICENSES = ("mit", "apache-2.0", "bsd-3-clause", "gpl-3.0", "lgpl-3.0", "mpl-2.0", "unlicense")
_LICENSE_WEIGHTS = (8, 6, 3, 3, 1, 2, 1)
_OTHER_LANGUAGE = 0.06
_CODERS = ("EN", "IN")
_BY_CODERS = 0.7
_STILL_OPEN = 0.6
_ROUNDS = 200


@dataclass(frozen=True)
class Repository:
    """Some files of one owner for one topic of a project."""

    name: str
    project: Project
    topic: str
    owner: Employee
    license: str
    created: date


@dataclass(frozen=True)
class Bug:
    """One issue of a file.

    Attributes:
        planted: the fault and a failing test.
        author: who reported it; in office on the day `opened`.
        closed: the day on which it was mended, None while it is open.
    """

    planted: Planted
    author: Employee
    opened: date
    closed: date | None


@dataclass(frozen=True)
class CodeFile:
    """A file of a repository.

    Attributes:
        module: what it should be, None for other languages than Python.
        text: what it is; faulty where an issue is open.
        bugs: at most one of them open, each in a function of its own.
    """

    repository: Repository
    path: str
    language: str
    created: date
    module: Module | None
    text: str
    bugs: tuple[Bug, ...]


def plan_code(draft: Draft) -> list[CodeFile]:
    """All files of the world, the same at each call; together as many files and issues as it is to have."""
    drafts = _empty_files(draft)
    places = [
        (n, part) for n, (*_, module) in enumerate(drafts) if module for part in range(len(module.parts))
    ]
    numbers = draft.rng("repositories", "faults")
    chosen = numbers.sample(places, min(draft.counts.issues, len(places)))
    parts: dict[int, list[int]] = {}
    for number, part in chosen:
        parts.setdefault(number, []).append(part)
    files = []
    for number, (repository, path, language, text, module) in enumerate(drafts):
        numbers = draft.rng("repositories", "file", number, "issues")
        created = repository.created
        bugs = _bugs(draft, numbers, repository, module, parts.get(number, [])) if module else ()
        broken = [bug.planted.code for bug in bugs if bug.closed is None]
        files.append(
            CodeFile(repository, path, language, created, module, broken[0] if broken else text, bugs)
        )
    return files


_Planned = tuple[Repository, str, str, str, Module | None]


def _empty_files(draft: Draft) -> list[_Planned]:
    """Repositories with their files before any fault is planted."""
    files: list[_Planned] = []
    names: set[str] = set()
    number = 0
    while len(files) < draft.counts.repositories:
        numbers = draft.rng("repositories", number)
        number += 1
        repository = _repository(draft, numbers, names)
        names.add(repository.name)
        taken: set[str] = set()
        for _ in range(min(numbers.choice(_FILES_EACH), draft.counts.repositories - len(files))):
            files.append(_file(numbers, repository, taken))
    return files


def _repository(draft: Draft, numbers: random.Random, names: set[str]) -> Repository:
    for _ in range(_ROUNDS):
        project = numbers.choice([one for one in draft.projects if one.members])
        coders = colleagues(draft, project, *_CODERS)
        by_coder = numbers.random() < _BY_CODERS
        if by_coder and not coders:
            continue
        owner = numbers.choice(coders if by_coder else colleagues(draft, project))
        window = project.window(owner)
        topic = project.topic(numbers)
        name = f"{_slug(owner.name)}/{_slug(topic)}-{_slug(project.name.split()[-1])}"
        if window is None or name in names:
            continue
        first, last = window
        created = workday(numbers, first, first + (min(last, draft.today) - first) / 2)
        license_id = numbers.choices(_LICENSES, _LICENSE_WEIGHTS)[0]
        return Repository(name, project, topic, owner, license_id, created)
    raise ValueError("there is nothing left to write code for")


def _file(numbers: random.Random, repository: Repository, taken: set[str]) -> _Planned:
    topic, project = repository.topic, repository.project.name
    if numbers.random() < _OTHER_LANGUAGE:
        other = numbers.choice(texts("code_files")["files"])
        if other["path"] not in taken:
            taken.add(other["path"])
            text = Template(other["code"]).substitute(topic=topic, project=project)
            return repository, other["path"], other["language"], text, None
    package = _slug(repository.project.domain).replace("-", "_")
    while True:
        header = f"{topic[0].upper()}{topic[1:]} ({project}): {numbers.choice(_PURPOSES)}."
        module = draw_module(numbers, header, numbers.choice((2, 2, 3)))
        path = f"src/{package}/{module.parts[0].name}.py"
        if path not in taken:
            taken.add(path)
            return repository, path, PYTHON, module.text, module


_PURPOSES = (
    "small functions that several steps share",
    "the rules that do not depend on the database",
    "calculations behind the overview page",
    "what is needed before the data are sent on",
    "parts that used to be copied from sheet to sheet",
    "the logic of the nightly run",
)


def _bugs(
    draft: Draft, numbers: random.Random, repository: Repository, module: Module, parts: list[int]
) -> tuple[Bug, ...]:
    """One fault in each of some functions; the last one reported may still be open."""
    bugs = []
    first = repository.created
    for place, part in enumerate(sorted(parts)):
        last = first + (draft.today - first) / (len(parts) - place) if place < len(parts) - 1 else draft.today
        is_open = place == len(parts) - 1 and numbers.random() < _STILL_OPEN
        author, opened = _report(draft, numbers, repository, first, last)
        closed = None if is_open else min(draft.today, opened + timedelta(days=numbers.randint(1, 45)))
        bugs.append(Bug(plant(numbers, module, part), author, opened, closed))
        first = closed or last
    return tuple(bugs)


def _report(
    draft: Draft, numbers: random.Random, repository: Repository, first: date, last: date
) -> tuple[Employee, date]:
    """Reporter and day of a fault; any active employee if no member of the project is."""
    day = workday(numbers, first, last)
    present = [one for one in colleagues(draft, repository.project) if one.active_on(day)]
    return numbers.choice(present or draft.people.active_on(day)), day


def _slug(text: str) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
    return "-".join(words)
