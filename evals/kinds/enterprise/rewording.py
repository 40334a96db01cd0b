"""Records of a generated enterprise, reworded by a model; sentences with facts stay."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worksmith.evals.authoring.rewriting.asking import signature_of
from worksmith.evals.authoring.rewriting.texts import Reply, Text, reword
from worksmith.evals.dspy_programs.digests import plain_settings
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.kinds.enterprise.generate.draft import counts
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.kinds.enterprise.stated.demands import Demands, Taken, stands
from worksmith.tools.kinds.enterprise.stated.particulars import words_of
from worksmith.tools.kinds.enterprise.stated.reader import UnreadError
from worksmith.tools.kinds.enterprise.stated.texts import COLUMNS, demanded, demands
from worksmith.tools.seeding import digest

REPORT_FILE = "rewording.json"
"""Who reworded records, and how many lines of each source stayed as they were, and why."""

TOKENS: Mapping[str, int] = {
    "conversations": 365,
    "mail": 104,
    "support_chats": 375,
    "posts": 209,
    "tickets": 60,
    "sentiments": 47,
    "clients": 117,
    "vendors": 103,
    "overflow": 52,
}
"""Of one text, on average; measured on a world of seed 7."""

_NAMES = {
    "employees": ("name",),
    "customers": ("customer_name",),
    "clients": ("contact_person_name", "business_name"),
    "vendors": ("contact_person_name", "business_name"),
}
"""The columns with names of people and businesses, by source."""

ALL_RECORDS = "records"
EVERYTHING = "all"
TASKS = "tasks"

_UNREAD = "its facts could not be read back"


@dataclass(frozen=True)
class Choice:
    """The texts that a model rewords.

    Attributes:
        tasks: whether it rewords tasks.
        sources: whose records.
        share: of the records of each source, 0 to 1.
    """

    tasks: bool
    sources: tuple[str, ...]
    share: float = 1.0

    @classmethod
    def of(cls, wanted: str, share: float = 1.0) -> Choice:
        """Read the choice from a list with commas: `tasks`, `records`, `all`, or names of sources.

        Raises:
            InputError: a source is unknown, or has no text that can be reworded.
        """
        named = {name.strip() for name in wanted.split(",")}
        for name in sorted(named - {TASKS, ALL_RECORDS, EVERYTHING, *COLUMNS}):
            raise InputError(
                f"no source {name!r} with texts to reword",
                where="--reword",
                hint=f"there are {TASKS}, {ALL_RECORDS}, {EVERYTHING}, and of sources {', '.join(COLUMNS)}",
            )
        every = bool(named & {ALL_RECORDS, EVERYTHING})
        return cls(
            bool(named & {TASKS, EVERYTHING}),
            tuple(source for source in COLUMNS if every or source in named),
            share,
        )

    def many(self, records: int) -> int:
        """The number of chosen records among `records`."""
        return round(self.share * records)

    def texts(self, scale: float) -> dict[str, int]:
        """How many texts of each source are chosen at most in a world of this scale."""
        size = counts(scale)
        return {source: self.many(getattr(size, source)) * len(COLUMNS[source]) for source in self.sources}


def reword_records(
    built: Built,
    choice: Choice,
    seed: int,
    lm: Any,
    cache: Path | None,
    tick: Callable[[int], None] = lambda _: None,
) -> tuple[Built, dict[str, Any]]:
    """Have a model reword the chosen records of a world, line by line; lines that do not hold stay.

    Args:
        seed: decides which records are chosen; a larger share has those of a smaller one.
        lm, cache, tick: see `reword`.

    Returns:
        The world with the new texts, and a report: the model with its settings, the choice, and by source
        how many texts and lines were chosen and reworded, and how many lines stayed for which reason.

    Raises:
        WorksmithError: the model gave no reply.
    """
    known = _known(built)
    chosen = {source: list(_chosen(built, source, choice, seed)) for source in choice.sources}
    wanted = [one for found in chosen.values() for one in found if isinstance(one, _Chosen)]
    replies = reword([_text(one.text) for one in wanted], lm, cache, tick=tick)
    new = {one: one.taken(reply, known) for one, reply in zip(wanted, replies, strict=True)}
    facts = {
        "writer": signature_of(lm),
        "settings": plain_settings(lm),
        "share": choice.share,
        "seed": seed,
        "sources": {source: _counted(found, new) for source, found in chosen.items()},
    }
    return _with_texts(
        built, {(one.text.ref, one.text.column): found.text for one, found in new.items()}
    ), facts


def write_report(place: Path, report: Mapping[str, Any]) -> None:
    write_atomically(place / REPORT_FILE, f"{json.dumps(report, indent=2, ensure_ascii=False)}\n".encode())


@dataclass(frozen=True, eq=False)
class _Chosen:
    """A text of a chosen record, and the facts of the record."""

    source: str
    text: Demands
    latent: Latent
    industry: Industry

    def taken(self, reply: Reply, known: frozenset[str]) -> Taken:
        """The text with the lines of a reply that hold."""
        old = self.text
        lines = sum(map(old.loose, old.lines))
        if reply.failed:
            return Taken(old.text, lines, (reply.failed,) * lines)
        found = old.taken(reply.text, known)
        try:
            demanded(self.latent, self.source, old.column, found.text, self.industry)
        except UnreadError:
            return Taken(old.text, lines, (_UNREAD,) * lines)
        return found


def _chosen(built: Built, source: str, choice: Choice, seed: int) -> Iterator[_Chosen | str]:
    """The texts of the chosen records; the reference of a record whose facts cannot be read."""
    latents = {latent.ref: latent for latent in built.latents_of(source)}
    records = {f"{source}/{record[KEYS[source]]}": record for record in built.records(source)}
    drawn = sorted(records, key=lambda ref: digest([seed, "reword", ref]))[: choice.many(len(records))]
    for ref in sorted(drawn):
        try:
            found = list(demands(source, records[ref], latents[ref], built.industry))
        except (UnreadError, KeyError):
            yield ref
        else:
            yield from (_Chosen(source, one, latents[ref], built.industry) for one in found)


def _text(one: Demands) -> Text:
    """The text for the model, alone."""
    return Text(one.text, (*one.fixed, *(phrase for phrase in one.literal if stands(one.text, phrase))))


def _known(built: Built) -> frozenset[str]:
    """The words of the names of people and businesses, in lower case."""
    names = [
        record[column] or "" for source, columns in _NAMES.items() for record in built.records(source)
        for column in columns
    ]  # fmt: skip
    return frozenset().union(*map(words_of, names))


def _counted(found: Sequence[_Chosen | str], new: Mapping[_Chosen, Taken]) -> dict[str, int | dict[str, int]]:
    """The counts of one source."""
    taken = [(one, new[one]) for one in found if isinstance(one, _Chosen)]
    lines, refused = (
        sum(one.lines for _, one in taken),
        Counter(why for _, one in taken for why in one.refused),
    )
    return {
        "texts": len(found),
        "texts_reworded": sum(old.text.text != one.text for old, one in taken),
        "texts_unread": sum(isinstance(one, str) for one in found),
        "lines": lines,
        "lines_reworded": lines - refused.total(),
        "lines_kept": dict(sorted(refused.items())),
    }


def _with_texts(built: Built, new: Mapping[tuple[str, str], str]) -> Built:
    rows = dict(built.rows)
    for table in TABLES:
        if table.name not in COLUMNS:
            continue
        key = table.columns.index(KEYS[table.name])
        rows[table.name] = [
            tuple(
                new.get((f"{table.name}/{row[key]}", column), cell)
                for column, cell in zip(table.columns, row, strict=True)
            )
            for row in rows.get(table.name, [])
        ]
    return replace(built, rows=rows)
