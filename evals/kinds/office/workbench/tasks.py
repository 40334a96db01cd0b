"""The published benchmark's task tables as tasks, with the corrections of their expectations."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from worksmith.evals.kinds.office.records import Records
from worksmith.evals.kinds.office.workbench import answers
from worksmith.evals.kinds.office.workbench.answers import Answer
from worksmith.evals.scoring.actions import UnreadableActionError, parse_action
from worksmith.evals.scoring.result_tables import text_list
from worksmith.evals.tasks.task import Action, Split, Task
from worksmith.retrievers.strict_json import open_text
from worksmith.tools.errors import InputError
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.seeding import digest
from worksmith.tools.world_kind import world_kind

_TREATMENTS: dict[str, Callable[[str, Answer, Records], list[Answer]]] = {
    function.__name__: function
    for function in (
        answers.fewest_overdue,
        answers.reprioritise,
        answers.move_to_lost,
        answers.mail_title,
        answers.plot_until_today,
        answers.unfinished,
        answers.most_urgent,
    )
}
"""From a task and its published answer to the right answers; empty if the function does not know."""


class Rule(BaseModel):
    """One entry of `corrections.toml`; its head explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    domain: str
    words: tuple[str, ...]
    without: tuple[str, ...] = ()
    effect: Literal["correct", "accept"]
    treatment: str
    reason: str

    def concerns(self, domain: str, query: str) -> bool:
        """Whether the rule is about this task."""
        text = f" {query.lower()} "
        return (
            domain == self.domain
            and all(word in text for word in self.words)
            and not any(word in text for word in self.without)
        )


class Finding(BaseModel):
    """The finding of one task's review.

    Attributes:
        corrected: replaces the published answer; None if that is right.
        alternatives: further answers that count as right.
    """

    model_config = ConfigDict(frozen=True)

    corrected: tuple[Action, ...] | None
    alternatives: tuple[tuple[Action, ...], ...]
    reason: str


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, in the order in which they are tried."""
    entries = read_toml(__package__, "corrections.toml")["rule"]
    return tuple(Rule.model_validate(entry) for entry in entries)


def review(domain: str, query: str, published: Answer, records: Records) -> Finding | None:
    """The finding of the first rule that applies to a task; None without a fault."""
    for rule in rules():
        if not rule.concerns(domain, query):
            continue
        right = _TREATMENTS[rule.treatment](query, published, records)
        others = tuple(answer for answer in right if not _same(answer, published))
        if not others:
            continue
        if rule.effect == "accept":
            return Finding(corrected=None, alternatives=others, reason=rule.reason)
        if len(others) == len(right):
            return Finding(corrected=others[0], alternatives=others[1:], reason=rule.reason)
    return None


def _same(one: Answer, other: Answer) -> bool:
    return sorted(map(repr, one)) == sorted(map(repr, other))


DOMAINS = (
    "analytics",
    "calendar",
    "customer_relationship_manager",
    "email",
    "project_management",
    "multi_domain",
)
"""The original's six task tables, one a domain."""

_SUFFIX = "_queries_and_answers.csv"
_FOLDERS = ("queries_and_answers", "data/processed/queries_and_answers", "processed/queries_and_answers", "")
_COLUMNS = ("query", "answer", "base_template", "domains")
_TOOLKITS = {"crm": "customer_relationship_manager"}
"""The original's names for toolkits where they differ from the toolkits' own."""


@dataclass(frozen=True)
class _Row:
    """One row of a task table.

    Attributes:
        template: a name for what all tasks of one kind share; the template's text is not kept.
    """

    file: Path
    domain: str
    number: int
    query: str
    expected: tuple[Action, ...]
    domains: tuple[str, ...]
    template: str


def read_tasks(source: Path | str, records: Records | None = None) -> list[Task]:
    """The tasks of all task tables in `source`; any subset of the six will do.

    Args:
        source: a checkout of the original's repository, its `data` folder, or a folder with the tables.
        records: of the world. With them, each task also gets the corrections and alternatives of
            `corrections.toml`.

    Raises:
        InputError: if the task table is missing, or a row or cell is damaged; with the place.
    """
    rows = [row for file in _task_files(Path(source)) for row in _read_rows(file)]
    splits = _splits(rows)
    return [_task(row, splits[row.domain, row.number], records) for row in rows]


def _task_files(source: Path) -> list[Path]:
    for folder in _FOLDERS:
        files = [source / folder / f"{domain}{_SUFFIX}" for domain in DOMAINS]
        present = [file for file in files if file.is_file()]
        if present:
            return present
    raise InputError(
        "no task table here", where=str(source), hint=f"looked for {_FOLDERS[0]}/<domain>{_SUFFIX}"
    )


def _read_rows(path: Path) -> Iterator[_Row]:
    domain = path.name.removesuffix(_SUFFIX)
    templates: dict[str, str] = {}
    seen: set[str] = set()
    for number, cells in enumerate(_records(path)):
        query = cells["query"]
        if not query.strip():
            raise _damage("the task is empty", path, number, "query")
        if query in seen:
            raise _damage("the same task occurs twice", path, number, "query")
        seen.add(query)
        template = templates.setdefault(cells["base_template"], f"{domain}.template_{len(templates):02}")
        yield _Row(
            path,
            domain,
            number,
            query,
            _answer(cells["answer"], path, number),
            _domains(cells["domains"], path, number),
            template,
        )


def _records(path: Path) -> Iterator[Mapping[str, str]]:
    try:
        with open_text(path) as file:
            lines = csv.reader(file, strict=True)
            header = next(lines, [])
            missing = [column for column in _COLUMNS if column not in header]
            if missing:
                raise InputError(f"no column {missing[0]!r}", where=str(path))
            for number, cells in enumerate(lines):
                if len(cells) != len(header):
                    raise _damage(f"{len(cells)} cells instead of {len(header)}", path, number, None)
                yield dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"not a sound CSV file: {error}", where=f"{path}, line {lines.line_num}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot read the file as UTF-8 text", where=str(path), hint=str(error)) from error


def _answer(cell: str, path: Path, row: int) -> tuple[Action, ...]:
    tools = {tool.name: tool for kit in world_kind("office").toolkits for tool in kit.tools}
    actions = []
    for text in _list(cell, path, row, "answer"):
        try:
            name, arguments = parse_action(text)
        except UnreadableActionError as error:
            raise _damage(str(error), path, row, "answer") from error
        if name not in tools:
            raise _damage(f"there is no tool {name}", path, row, "answer")
        unknown = set(arguments) - set(tools[name].arguments)
        if unknown:
            raise _damage(f"{name} has no argument {', '.join(sorted(unknown))}", path, row, "answer")
        actions.append(Action(tool=name, arguments=dict(arguments)))
    return tuple(actions)


def _domains(cell: str, path: Path, row: int) -> tuple[str, ...]:
    known = {kit.name for kit in world_kind("office").toolkits}
    domains = tuple(_TOOLKITS.get(name, name) for name in _list(cell, path, row, "domains"))
    unknown = [name for name in domains if name not in known]
    if unknown or not domains:
        raise _damage(f"no such domain: {', '.join(unknown) or 'none given'}", path, row, "domains")
    return domains


def _list(cell: str, path: Path, row: int, column: str) -> list[str]:
    try:
        return text_list(cell)
    except ValueError as error:
        raise _damage(f"not a list of texts: {error}", path, row, column) from error


def _splits(rows: Sequence[_Row]) -> dict[tuple[str, int], tuple[Split, Split]]:
    """For each row its standard split (within its template) and its split when templates are held out.

    Both go by digests of the texts, so they do not depend on the order of rows or files.
    """
    templates: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        templates[row.template].append(row)
    splits: dict[tuple[str, int], tuple[Split, Split]] = {}
    for rank, template in enumerate(sorted(templates, key=digest)):
        held_out = _share(rank, len(templates))
        members = sorted(templates[template], key=lambda row: digest(row.query))
        for place, row in enumerate(members):
            splits[row.domain, row.number] = (_share(place, len(members)), held_out)
    return splits


def _share(place: int, total: int) -> Split:
    """Two fifths train, one fifth dev, two fifths test."""
    part = place / total
    return "train" if part < 0.4 else "dev" if part < 0.6 else "test"


def _task(row: _Row, splits: tuple[Split, Split], records: Records | None) -> Task:
    finding = review(row.domain, row.query, row.expected, records) if records else None
    return Task(
        id=f"workbench.{row.domain}.{row.number:03}",
        query=row.query,
        domains=row.domains,
        intent=f"workbench.{row.template}",
        split=splits[0],
        held_out_split=splits[1],
        expected=row.expected,
        corrected=finding.corrected if finding else None,
        alternatives=finding.alternatives if finding else (),
        correction_reason=finding.reason if finding else None,
        origin={"system": "workbench", "file": row.file.name, "domain": row.domain, "row": row.number},
    )


def _damage(message: str, path: Path, row: int, column: str | None) -> InputError:
    place = f"{path}, row {row}" + (f", column {column}" if column else "")
    return InputError(message, where=place)
