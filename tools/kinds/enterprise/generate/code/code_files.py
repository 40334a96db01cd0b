"""The files of the repositories and their faults: planned before their rows are made."""

from __future__ import annotations

import random
import textwrap
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.code.families.other_languages import LANGUAGES, draw_file
from worksmith.tools.kinds.enterprise.generate.code.patches.modules import Module, Planted, draw_module, plant
from worksmith.tools.kinds.enterprise.generate.code.subjects import prose, subject
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee, Project
from worksmith.tools.kinds.enterprise.generate.projects import colleagues, workday
from worksmith.tools.kinds.enterprise.generate.topics import details

PYTHON = "Python"
_FILES_EACH = (2, 3, 4, 4, 5, 6)
_LICENSES = ("mit", "apache-2.0", "bsd-3-clause", "gpl-3.0", "lgpl-3.0", "mpl-2.0", "unlicense")
_LICENSE_WEIGHTS = (8, 6, 3, 3, 1, 2, 1)
_LANGUAGES = {PYTHON: 55, "JavaScript": 20, "SQL": 15, "Shell": 10}
_SIZES = (3, 4, 4, 5)
_WIDTH = 92
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
        functions: the names of its functions, views or triggers.
        module: what it should be, None for other languages than Python.
        text: what it is; faulty where an issue is open.
        bugs: at most one of them open, each in another function.
    """

    repository: Repository
    path: str
    language: str
    created: date
    functions: tuple[str, ...]
    module: Module | None
    text: str
    bugs: tuple[Bug, ...]


@dataclass(frozen=True)
class _Sound:
    """A file before any fault is planted."""

    repository: Repository
    path: str
    language: str
    text: str
    functions: tuple[str, ...]
    module: Module | None = None


def plan_code(draft: Draft) -> list[CodeFile]:
    """All files of the world, together as many files and issues as it is to have."""
    sound = _sound_files(draft)
    modules = [(number, file.module) for number, file in enumerate(sound) if file.module]
    places = [(number, part) for number, module in modules for part in range(len(module.parts))]
    numbers = draft.rng("repositories", "faults")
    parts: dict[int, list[int]] = {}
    for number, part in numbers.sample(places, min(draft.counts.issues, len(places))):
        parts.setdefault(number, []).append(part)
    files = []
    for number, file in enumerate(sound):
        numbers = draft.rng("repositories", "file", number, "issues")
        repository, module = file.repository, file.module
        bugs = _bugs(draft, numbers, repository, module, parts.get(number, [])) if module else ()
        text = next((bug.planted.code for bug in bugs if bug.closed is None), file.text)
        created = repository.created
        files.append(
            CodeFile(repository, file.path, file.language, created, file.functions, module, text, bugs)
        )
    return files


def _sound_files(draft: Draft) -> list[_Sound]:
    """Repositories with their files before any fault is planted."""
    files: list[_Sound] = []
    names: set[str] = set()
    number = 0
    while len(files) < draft.counts.repositories:
        numbers = draft.rng("repositories", number)
        number += 1
        repository = _repository(draft, numbers, names)
        names.add(repository.name)
        taken: set[str] = set()
        for place in range(min(numbers.choice(_FILES_EACH), draft.counts.repositories - len(files))):
            files.append(_file(draft.rng("repositories", repository.name, place), repository, taken))
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


def _file(numbers: random.Random, repository: Repository, taken: set[str]) -> _Sound:
    """A file; its path and the names of its functions are added to those `taken` in the repository."""
    words = subject(repository.topic)
    language = numbers.choices([*_LANGUAGES], [*_LANGUAGES.values()])[0]
    free = [name for name in _purposes() if not any(path.endswith(f"_{name}") for path in taken)]
    purpose = numbers.choice(free)
    name = f"{words['many']}_{purpose}"
    taken.add(name)
    head = _head(numbers, repository, purpose)
    if language != PYTHON and (found := draw_file(numbers, language, head, words, taken)):
        text, functions = found
        path = LANGUAGES[language].path.format(name if language == "SQL" else name.replace("_", "-"))
        return _Sound(repository, path, language, text, functions)
    header = '"""' + "\n".join(head) + '\n"""'
    module = draw_module(numbers, header, words, numbers.choice(_SIZES), taken)
    package = _slug(repository.project.domain).replace("-", "_")
    functions = tuple(part.name for part in module.parts)
    return _Sound(repository, f"src/{package}/{name}.py", PYTHON, module.text, functions, module)


def _head(numbers: random.Random, repository: Repository, purpose: str) -> list[str]:
    """The lines that a file begins with: its subject and purpose, then why it is there."""
    topic, bank = repository.topic, details(repository.project.industry, repository.topic)
    aim = prose(_purposes()[purpose], subject(topic))
    first = f"{topic[0].upper()}{topic[1:]} ({repository.project.name}): {aim}."
    reasons = " ".join(filter(None, (bank.say(numbers, "trouble"), bank.say(numbers, "gain"))))
    lines = textwrap.wrap(first, _WIDTH)
    return [*lines, "", *textwrap.wrap(reasons, _WIDTH)] if reasons else lines


@cache
def _purposes() -> dict[str, str]:
    """What files are for, by the end of their names."""
    purposes: dict[str, str] = read_toml(f"{__package__}.families", "headers.toml")["purposes"]
    return purposes


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
