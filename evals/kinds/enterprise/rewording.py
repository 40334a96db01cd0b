"""Records of a generated enterprise, reworded by a model; every latent fact stays."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evals.authoring.rewriting.texts import Reworded, Text, reword
from tools.errors import InputError
from tools.files.atomic import write_atomically
from tools.kinds.enterprise.generate import Built
from tools.kinds.enterprise.generate.draft import counts
from tools.kinds.enterprise.schema import KEYS, TABLES
from tools.kinds.enterprise.stated.demands import Demands
from tools.kinds.enterprise.stated.particulars import words_of
from tools.kinds.enterprise.stated.reader import UnreadError
from tools.kinds.enterprise.stated.texts import COLUMNS, demands
from tools.seeding import digest

REPORT_FILE = "rewording.json"
"""How many texts of each source were reworded, and why others were not."""

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

_SHORT = 3
"""Phrases of so many words somebody may say by chance, so that the model is told which ones are barred."""

_NOT_READ = "its facts cannot be read back"


@dataclass(frozen=True)
class Choice:
    """Which records a model rewords.

    Attributes:
        share: of the records of each source, 0 to 1.
        sources: whose records.
    """

    share: float
    sources: tuple[str, ...]

    @classmethod
    def of(cls, share: float, sources: str | None) -> Choice:
        """Read the choice from a list with commas; without one, all sources with texts.

        Raises:
            InputError: a source is unknown, or has no text that can be reworded.
        """
        named = [name.strip() for name in (sources or ",".join(COLUMNS)).split(",")]
        for name in named:
            if name not in COLUMNS:
                raise InputError(
                    f"no source {name!r} with texts to reword",
                    where="--rewrite-sources",
                    hint=f"there are {', '.join(COLUMNS)}",
                )
        return cls(share, tuple(source for source in COLUMNS if source in named))

    def many(self, records: int) -> int:
        """How many of so many records are chosen."""
        return round(self.share * records)

    def texts(self, scale: float) -> dict[str, int]:
        """How many texts of each source are chosen at most in a world of this scale."""
        size = counts(scale)
        return {source: self.many(getattr(size, source)) * len(COLUMNS[source]) for source in self.sources}


def reword_records(
    built: Built, choice: Choice, seed: int, lm: Any, cache: Path | None
) -> tuple[Built, dict[str, Any]]:
    """Have a model reword the chosen records of a world.

    Args:
        seed: decides which records are chosen; a larger share has those of a smaller one.
        lm, cache: see `reword`.

    Returns:
        The world with the new texts, and a report: the model, the share, and by source the numbers of texts
        chosen and reworded, and of those kept by reason.

    Raises:
        WorksmithError: the model gave no reply.
    """
    known = _known(built)
    chosen = {source: list(_chosen(built, source, choice, seed)) for source in choice.sources}
    wanted = [one for found in chosen.values() for one in found if isinstance(one, Demands)]
    texts = [_text(one, known) for one in wanted]
    new = dict(zip(((one.ref, one.column) for one in wanted), reword(texts, lm, cache), strict=True))
    report = {source: _counted(found, new) for source, found in chosen.items()}
    facts = {"writer": str(getattr(lm, "model", "")), "share": choice.share, "seed": seed, "sources": report}
    return _with_texts(built, new), facts


def write_report(place: Path, report: Mapping[str, Any]) -> None:
    write_atomically(place / REPORT_FILE, f"{json.dumps(report, indent=2, ensure_ascii=False)}\n".encode())


def _chosen(built: Built, source: str, choice: Choice, seed: int) -> Iterator[Demands | str]:
    """What the texts of the chosen records have to state; the reference of a record that cannot be read."""
    latents: dict[str, list[Any]] = {}
    for latent in built.latents_of(source):
        latents.setdefault(latent.ref, []).append(latent)
    records = {f"{source}/{record[KEYS[source]]}": record for record in built.records(source)}
    drawn = sorted(records, key=lambda ref: digest([seed, "reword", ref]))[: choice.many(len(records))]
    for ref in sorted(drawn):
        try:
            # A list: a record is reworded as a whole or not at all.
            yield from list(demands(source, records[ref], latents.get(ref, ()), built.industry))
        except UnreadError:
            yield ref


def _text(one: Demands, known: frozenset[str]) -> Text:
    verbatim = [
        f"{fixed.speaker}: {fixed.sentence}" if fixed.speaker else fixed.sentence for fixed in one.fixed
    ]
    values = [f"{free.name.replace('_', ' ')}: {free.value}" for free in one.free]
    return Text(
        one.text,
        (*verbatim, *one.literal),
        tuple(values),
        tuple(sorted(phrase for phrase in one.barred if len(phrase.split()) <= _SHORT)),
        lambda text: one.objections(text, known),
    )


def _known(built: Built) -> frozenset[str]:
    """The words of the names of people and businesses, in lower case."""
    names = [
        record[column] or "" for source, columns in _NAMES.items() for record in built.records(source)
        for column in columns
    ]  # fmt: skip
    return frozenset().union(*map(words_of, names))


def _counted(
    found: Sequence[Demands | str], new: Mapping[tuple[str, str], Reworded]
) -> dict[str, int | dict[str, int]]:
    """The counts of one source. Of several objections the first one is the reason."""
    results = [new[one.ref, one.column] for one in found if isinstance(one, Demands)]
    unread = sum(isinstance(one, str) for one in found)
    why = Counter(_reason(result.kept) for result in results if result.kept) + Counter({_NOT_READ: unread})
    return {
        "chosen": len(found),
        "reworded": sum(not result.kept for result in results),
        "kept": dict(sorted(why.items())),
    }


def _reason(kept: str) -> str:
    """The first objection without what it quotes."""
    first = kept.partition("; ")[0]
    for mark in ("'", '"'):
        head, _, rest = first.partition(mark)
        first = f"{head}...{rest.rpartition(mark)[2]}" if mark in rest else first
    return first


def _with_texts(built: Built, new: Mapping[tuple[str, str], Reworded]) -> Built:
    rows = dict(built.rows)
    for table in TABLES:
        if table.name not in COLUMNS:
            continue
        key = table.columns.index(KEYS[table.name])
        rows[table.name] = [
            tuple(
                found.text if (found := new.get((f"{table.name}/{row[key]}", column))) else cell
                for column, cell in zip(table.columns, row, strict=True)
            )
            for row in rows.get(table.name, [])
        ]
    return replace(built, rows=rows)
