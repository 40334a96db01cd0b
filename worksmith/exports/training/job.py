"""Writing training data: rows of trajectories, their split, and the card."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import Progress
from worksmith.evals.records.run_card import versions
from worksmith.exports.training.card import (
    CHARACTERS,
    DataCard,
    HeldBackEntry,
    Method,
    SourceEntry,
    card_beside,
)
from worksmith.exports.training.documents import documents
from worksmith.exports.training.entries import counter, file_entry, suite_entry
from worksmith.exports.training.held_back import HeldBack, refuse
from worksmith.exports.training.result import TrainingData
from worksmith.exports.training.rows import Row, once
from worksmith.exports.training.sources import open_sources
from worksmith.exports.training.trajectories import ChatTrajectory, intent_of, run_again
from worksmith.jobs.opening.programs import new_agent
from worksmith.jobs.settings.exports import SftSettings
from worksmith.programs.parts.tool_retrieval import tools_a_step
from worksmith.programs.prompting.forms import NATIVE
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import check_free, write_atomically
from worksmith.tools.seeding import digest, rng

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.jobs.settings.exports import TrainingDataSettings
    from worksmith.programs.agent import Agent


class Job:
    """A running export.

    Attributes:
        left: why trajectories gave no row, with counts.
    """

    def __init__(self, settings: TrainingDataSettings, progress: Progress) -> None:
        self._settings, self._progress = settings, progress
        self._files = _files(settings)
        for file in (*self._files, card_beside(settings.out)):
            check_free(file, force=settings.force)
        self._count = counter(settings.tokenizer)
        self._suites, self._sources = open_sources(settings)
        self._agents = {suite.digest: _agent(suite, settings) for suite in self._suites.opened}
        held_back = HeldBack(self._suites, settings.exclude)
        told = {each.place: (each.suite, each.task) for one in self._sources for each in one.told}
        self._leaks = held_back.leaks(told.values())
        if not settings.leave_out:
            refuse(list(self._leaks.values()))
        self._held_back = HeldBackEntry(
            tasks=held_back.tasks,
            excluded={suite.path.name: suite.digest for suite in held_back.excluded},
            compared=len(told),
            same=sum(leak.share == 1 for leak in self._leaks.values()),
            near=sum(leak.share < 1 for leak in self._leaks.values()),
            left_out=tuple(leak.task for leak in self._leaks.values()),
        )
        self.left: Counter[str] = Counter()

    def trajectories(self) -> list[ChatTrajectory]:
        """The trajectories of all sources, but those of leaks."""
        sources = [
            replace(one, told=[each for each in one.told if each.place not in self._leaks])
            for one in self._sources
        ]
        settings = self._settings
        with self._progress.bar("trajectories") as tick:
            found, left = run_again(
                sources,
                lambda suite: self._agents[suite.digest],
                workers=settings.workers,
                seed=settings.seed,
                tick=tick,
            )
        self.left.update(left)
        return found

    def write(self, method: Method, rows: Sequence[Row]) -> TrainingData:
        """Write rows and their card; the card last."""
        settings = self._settings
        if settings.limit_per_intent is not None:
            rows = _limited(rows, settings.limit_per_intent, settings.seed)
        if not rows:
            why = ", ".join(f"{count} {reason}" for reason, count in self.left.most_common())
            raise InputError(
                "the sources give no row" + (f": {why}" if why else ""),
                where=", ".join(settings.source),
                hint="pairs need a successful and a failed trajectory of a task" if method == "dpo" else None,
            )
        parts = [once(self._documents(part, len(part) / len(rows))) for part in self._parted(rows)]
        rows = [row for part in parts for row in part]
        origin = settings.format == "trl"
        data = [
            "".join(
                json.dumps(row.data(self._sources, origin=origin), ensure_ascii=False) + "\n" for row in part
            )
            for part in parts
        ]
        card = self._card(method, rows, parts, data)
        for file, text in zip(self._files, data, strict=True):
            write_atomically(file, text.encode())
        write_atomically(card_beside(settings.out), card.model_dump_json(indent=1).encode() + b"\n")
        return TrainingData(self._files, card)

    def _documents(self, rows: Sequence[Row], share: float) -> Sequence[Row]:
        """The rows of a file, from the conversations for it, which are such a share of all."""
        settings = self._settings
        if not isinstance(settings, SftSettings):
            return rows
        wanted = len(rows) if settings.documents is None else max(1, round(share * settings.documents))
        return documents(rows, wanted, settings, self._count)

    def _parted(self, rows: Sequence[Row]) -> list[Sequence[Row]]:
        """The rows of each file.

        Intents are set aside by those of the train tasks, so that all exports of the same suites agree.
        """
        if len(self._files) == 1:
            return [rows]
        suites, settings = self._suites, self._settings
        intents = {intent_of(suite, task) for suite in suites.opened for task in suites.train(suite)}
        ordered = sorted(intents, key=lambda intent: digest([settings.seed, "validation", intent]))
        aside = set(ordered[: max(1, round(settings.validation * len(ordered)))])
        parts = [
            [row for row in rows if row.about.intent not in aside],
            [row for row in rows if row.about.intent in aside],
        ]
        if not all(parts):
            raise InputError(
                f"one of the two files would be empty: {len(aside)} of {len(intents)} intents are set aside",
                where=f"--validation {settings.validation}",
                hint="take another share or another --seed",
            )
        return list(parts)

    def _card(
        self, method: Method, rows: Sequence[Row], parts: Sequence[Sequence[Row]], data: Sequence[str]
    ) -> DataCard:
        settings = self._settings
        used = Counter(place for row in rows for place in _places(row))
        first = next(iter(self._agents.values()))
        named = zip(self._files, parts, data, strict=True)
        return DataCard(
            method=method,
            layout=settings.format,
            columns=tuple(json.loads(data[0].partition("\n")[0])),
            prompt=settings.prompt,
            program=first.config,
            tokens_by=settings.tokenizer or CHARACTERS,
            seed=settings.seed,
            scheme=settings.scheme,
            files=tuple(file_entry(file, part, text, self._count) for file, part, text in named),
            suites=tuple(suite_entry(suite, len(self._suites.train(suite))) for suite in self._suites.opened),
            sources=tuple(
                SourceEntry(
                    name=one.name,
                    kind=one.kind,
                    digest=one.digest,
                    model=one.model,
                    found=len(one.told),
                    used=used[place],
                )
                for place, one in enumerate(self._sources)
            ),
            held_back=self._held_back,
            left_out=dict(sorted(self.left.items())),
            faults=dict(sorted(Counter(row.fault for row in rows if row.fault).items())),
            settings=settings.described(),
            versions=versions(),
        )


def _files(settings: TrainingDataSettings) -> tuple[Path, ...]:
    out = settings.out
    if not settings.validation:
        return (out,)
    return (out, out.with_name(out.name.removesuffix(".jsonl") + ".validation.jsonl"))


def _agent(suite: Suite, settings: TrainingDataSettings) -> Agent:
    agent = new_agent(suite, settings, settings.strategy)
    if agent.prompt == NATIVE:
        raise InputError(
            "native tool calls have no text to train on", where="--prompt", hint="use --prompt text"
        )
    if tools_a_step(agent.toolset) and not settings.prompt.startswith("compact"):
        raise InputError(
            "each step is offered other tools, so that no chat shows a whole trajectory",
            where=f"--toolset {agent.toolset}",
            hint="use --prompt compact, or a toolset by name",
        )
    return agent


def _limited(rows: Sequence[Row], most: int, seed: int) -> list[Row]:
    """At most `most` rows of each intent, chosen at random; in the same order."""
    by_intent: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        by_intent.setdefault(row.about.intent, []).append(place)
    kept = {
        place
        for intent, places in by_intent.items()
        for place in rng(seed, "limit", intent).sample(places, min(most, len(places)))
    }
    return [row for place, row in enumerate(rows) if place in kept]


def _places(row: Row) -> Iterable[int]:
    shown = (row.about, *row.before, *([] if row.against is None else [row.against]))
    return {one.source for one in shown}
