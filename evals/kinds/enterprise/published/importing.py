"""The published enterprise benchmark as a suite."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worksmith.evals.kinds.enterprise.published.answers import Checked, WorldFacts, check
from worksmith.evals.kinds.enterprise.published.plans import PlanError, planned
from worksmith.evals.tasks.building import Made, Progress
from worksmith.evals.tasks.task import Answer, Difficulty, Split, Task
from worksmith.tools.environment import Environment
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.importing.json_records import read_records
from worksmith.tools.importing.raw import RawRecord
from worksmith.tools.importing.report import REPORT_FILE, FileNote
from worksmith.tools.kinds.enterprise.access import POLICY_FILE, packaged_policy
from worksmith.tools.kinds.enterprise.importing.people import first_active, personas
from worksmith.tools.kinds.enterprise.importing.reader import (
    NOW,
    ORIGIN,
    ORIGINALS_FILE,
    Imported,
    read_enterprise,
)
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import digest
from worksmith.tools.world import World, write_world

_EASY_BELOW = 3
"""Subtasks from which a task counts as hard."""

_AREAS = {
    "swe": ("SWE", ""),
    "sales": ("Sales", ""),
    "hr_systems": ("HR", ""),
    "policy_docs": ("HR", "policies"),
    "it_solutions": ("IT", ""),
    "biz_op": ("BizOps", ""),
    "hr": ("HR", ""),
    "it": ("IT", ""),
    "manag": ("BizOps", ""),
}
_APPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "workspace": (("github", "github_issues"), ("repositories",)),
    "messages conversations": (("conversations",), ("conversations",)),
    "hr system": (("employee_data",), ("employees",)),
    "enterprise mail system": (("enterprise_mail_system",), ("mail",)),
    "it solutions": (("it_service_management",), ("tickets",)),
    "sales": (
        ("products", "product_sentiment", "sales", "customers", "customer_support_chats"),
        ("products", "sales", "support_chats"),
    ),
    "policy documents": (("document",), ("policies",)),
}
"""For each application of the original the toolkits and the sources that stand for it."""

_PLACEHOLDER = re.compile(
    r"\b(?:SUPPORT_REP|EMPLOYEE|EMP|CUSTOMER|PRODUCT|REPO|TICKET|ISSUE)_(?:ID|NAME)\b"
    r"|\bYYYY-MM-DD\b|\[Insert [^\]]+\]"
)
_PERSON = re.compile(r"\b(?:SUPPORT_REP|EMPLOYEE|EMP)_ID\b")
_EMPLOYEE = re.compile(r"\bemp_\d{4}\b")
_UNSPECIFIC = re.compile(r"\b(?:for|of|by) a (?:specific|certain|particular) \w+", re.IGNORECASE)
_REVIEWS = re.compile(r"\breview|\bfeedback did our customer", re.IGNORECASE)


@dataclass(frozen=True)
class _Published:
    """One task as it was published."""

    id: str
    file: str
    position: int
    emp_id: str
    query: str
    reference: str
    domain: str
    apps: tuple[str, ...]
    subtasks: int | None
    calls: tuple[Mapping[str, Any], ...] = ()
    filled: bool = False


def read_published(imported: Imported, everybody: Mapping[str, Persona], world: World) -> list[Task]:
    """The published tasks that can be done in the imported world; the others go into the report.

    Args:
        imported: the records of the files, and their places.
        everybody: who works there, by id.
        world: the same world, written.
    """
    facts = WorldFacts(imported.rows)
    published = [_filled(task) for name in imported.found.tasks for task in _file(imported, name)]
    seen: set[tuple[str, str]] = set()
    usable: list[tuple[_Published, Checked]] = []
    for entry in published:
        fault = _fault(entry, everybody, facts)
        verdict = check(entry.emp_id, entry.query, entry.reference, entry.apps, facts) if not fault else None
        if verdict and verdict.fault:
            fault = verdict.fault
        if not fault and (entry.emp_id, entry.query) in seen:
            fault = ("repeated", "the same person asks the same elsewhere")
        seen.add((entry.emp_id, entry.query))
        if fault:
            imported.report.flag(f"task_{fault[0]}", f"tasks/{entry.id}", fault[1])
        elif verdict:
            usable.append((entry, verdict))
    splits = _splits([entry for entry, _ in usable])
    env = Environment(world, sandboxes=1)
    tasks = []
    for entry, verdict in usable:
        task = _task(entry, verdict, everybody[entry.emp_id], splits[entry.id])
        try:
            tasks.append(planned(task, entry.calls, env) if entry.calls else task)
        except PlanError as error:
            imported.report.flag("task_plan", f"tasks/{entry.id}", str(error))
    imported.report.facts["tasks"] = {
        "published": len(published),
        "usable": len(tasks),
        "checked_by": dict(sorted(Counter(task.origin["check"] for task in tasks).items())),
    }
    return tasks


def _file(imported: Imported, name: str) -> list[_Published]:
    report = imported.report
    records, status = read_records(imported.found.path(name), name, report)
    report.files.append(FileNote(name, "tasks", status, len(records)))
    return [_read(record, name) for record in records]


def _read(record: RawRecord, name: str) -> _Published:
    def text(*names: str) -> str:
        taken = record.take(names)
        return taken[1].strip() if taken and isinstance(taken[1], str) else ""

    apps, subtasks = record.take(("apps",)), record.take(("subtasks",))
    domain = text("domain", "task_domain").lower() or "unknown"
    return _Published(
        id=f"enterprisebench.{domain}.{Path(name).stem}.{record.position:03}",
        file=name,
        position=record.position,
        emp_id=text("emp_id", "employee_id", "persona_id"),
        query=text("task", "question", "query"),
        reference=text("gt", "ground_truth", "answer"),
        domain=domain,
        apps=tuple(str(app) for app in apps[1]) if apps and isinstance(apps[1], list) else (),
        subtasks=len(subtasks[1]) if subtasks and isinstance(subtasks[1], list) else None,
        calls=tuple(_calls(subtasks[1])) if subtasks and isinstance(subtasks[1], list) else (),
    )


def _filled(task: _Published) -> _Published:
    """The task with the person that the answer names, where the question has the generator's placeholder."""
    named = set(_EMPLOYEE.findall(task.reference))
    if len(named) != 1 or not _PERSON.search(task.query):
        return task
    return replace(task, query=_PERSON.sub(named.pop(), task.query), filled=True)


def _calls(subtasks: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """The calls that the published generator made for a task."""
    for subtask in subtasks:
        tools = subtask.get("tools") if isinstance(subtask, dict) else None
        yield from (call for call in tools or () if isinstance(call, dict))


def _fault(task: _Published, everybody: Mapping[str, Persona], facts: WorldFacts) -> tuple[str, str] | None:
    """The reason that makes a task impossible in this world, if any."""
    persona = everybody.get(task.emp_id)
    if not task.query:
        return "no_question", "there is no question"
    if not task.reference:
        return "no_answer", "there is no answer to compare with"
    if persona is None:
        return "unknown_persona", f"there is no employee {task.emp_id!r}"
    if found := _PLACEHOLDER.search(f"{task.query}\n{task.reference}"):
        return "placeholder", f"{found[0]} was never filled in"
    if found := _UNSPECIFIC.search(task.query):
        return "unspecific", f"the question does not say which is meant: {found[0]!r}"
    return _missing_source(task, facts)


def _missing_source(task: _Published, facts: WorldFacts) -> tuple[str, str] | None:
    for app in task.apps:
        if app.lower() not in _APPS:
            return "unknown_app", f"there is no application {app!r}"
        sources = _APPS[app.lower()][1]
        if not any(facts.has(source) for source in sources):
            return "source_missing", f"the files have no {' or '.join(sources)}"
    if "Sales" in task.apps and _REVIEWS.search(task.query) and not facts.has("sentiments"):
        return "source_missing", "the files have no sentiments"
    return None


def _task(entry: _Published, verdict: Checked, persona: Persona, split: Split) -> Task:
    area, subarea = _AREAS.get(entry.domain, ("", ""))
    difficulty: Difficulty | None = None
    if entry.subtasks is not None:
        difficulty = "easy" if entry.subtasks < _EASY_BELOW else "hard"
    origin: dict[str, Any] = {
        "system": "enterprisebench",
        "file": entry.file,
        "record": entry.position,
        "apps": list(entry.apps),
        "check": verdict.how,
        **({"placeholder_filled": True} if entry.filled else {}),
        **({} if persona.active else {"persona_left": True}),
    }
    return Task(
        id=entry.id,
        query=entry.query,
        domains=_toolkits(entry.apps),
        area=area,
        subarea="patch" if entry.reference.startswith(("--- ", "diff ")) else subarea,
        type="search",
        difficulty=difficulty,
        # The original looks at no leaving date, and asks on behalf of people who had left.
        persona=persona.model_copy(update={"active": True}),
        split=split,
        held_out_split=split,
        answer=Answer(
            kind="none" if verdict.nothing else "entities",
            required=verdict.entities,
            reference=entry.reference,
        ),
        must_read=verdict.must_read,
        origin=origin,
    )


def _toolkits(apps: Sequence[str]) -> tuple[str, ...]:
    chosen = apps or tuple(_APPS)
    return tuple(dict.fromkeys(kit for app in chosen for kit in _APPS[app.lower()][0]))


def _splits(tasks: Sequence[_Published]) -> dict[str, Split]:
    """Within each domain two fifths train, one fifth dev, two fifths test, by digests of the questions."""
    domains: dict[str, list[_Published]] = defaultdict(list)
    for task in tasks:
        domains[task.domain].append(task)
    splits: dict[str, Split] = {}
    for members in domains.values():
        for place, task in enumerate(sorted(members, key=lambda t: digest([t.query, t.emp_id]))):
            part = place / len(members)
            splits[task.id] = "train" if part < 0.4 else "dev" if part < 0.6 else "test"
    return splits


LICENCE = "MIT (published wrapper over third-party content: for local use only)"


def import_enterprisebench(source: Path, place: Path, progress: Progress) -> Made:
    """Read EnterpriseBench's files: any of them, in any version.

    What was missing, damaged, changed on the way or put in quarantine stands in `import_report.json`.

    Raises:
        InputError: there is nothing to read.
    """
    imported = read_enterprise(source, progress=progress)
    everybody = personas(imported.rows.get("employees", ()))
    progress("writing the world")
    world = write_world(
        place,
        TABLES,
        imported.cells(),
        kind="enterprise",
        origin=ORIGIN,
        now=NOW,
        persona=first_active(everybody),
        licence=LICENCE,
    )
    tasks = read_published(imported, everybody, world)
    _write_beside(imported, place)
    for line in imported.report.lines():
        progress(line)
    return Made(world, tasks)


def _write_beside(imported: Imported, directory: Path) -> None:
    for path, file in imported.files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, directory / path)
    lines = (
        json.dumps({"record": record, "fields": fields}) + "\n" for record, fields in imported.extras.items()
    )
    write_atomically(directory / POLICY_FILE, packaged_policy().encode())
    write_atomically(directory / ORIGINALS_FILE, "".join(lines).encode())
    write_atomically(directory / REPORT_FILE, imported.report.to_json())
