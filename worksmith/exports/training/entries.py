"""Entries of a card: files with their lengths, and suites."""

from __future__ import annotations

import hashlib
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.exports.training.card import FileEntry, Lengths, SuiteEntry
from worksmith.exports.training.rows import Row
from worksmith.exports.training.trajectories import ASSISTANT
from worksmith.tools.errors import InputError, missing_extra

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite


def counter(model: str | None) -> Callable[[str], int]:
    """A function that counts the tokens of a text.

    Args:
        model: whose tokenizer counts, a base model's name; None for characters / 4.
    """
    if model is None:
        return lambda text: (len(text) + 3) // 4
    if find_spec("transformers") is None:
        raise missing_extra("a tokenizer", "train")
    from transformers import AutoTokenizer

    from worksmith.models.transformer.bases import base_model
    from worksmith.models.transformer.weights import TRUSTED

    folder, _ = base_model(model)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **TRUSTED)
    except (OSError, ValueError) as error:
        raise InputError("the model has no tokenizer", where=f"--tokenizer {model}") from error
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])


def file_entry(file: Path, rows: Sequence[Row], data: str, count: Callable[[str], int]) -> FileEntry:
    """The entry of a file.

    Args:
        data: its text.
        count: gives the tokens of a text.
    """
    size = cache(count)
    learnt = [
        message
        for row in rows
        for name in ("messages", "completion", "chosen")
        for message in row.columns.get(name, ())
        if message["role"] == ASSISTANT
    ]
    return FileEntry(
        name=file.name,
        sha256=hashlib.sha256(data.encode()).hexdigest(),
        rows=len(rows),
        tasks=len({(row.about.suite.digest, row.about.task.id) for row in rows}),
        intents=dict(sorted(Counter(row.about.intent for row in rows).items())),
        personas=len({(row.about.suite.digest, _persona(row)) for row in rows}),
        tokens=_lengths([sum(size(message["content"]) for message in row.messages) for row in rows]),
        assistant_tokens=sum(size(message["content"]) for message in learnt),
        conversations=dict(sorted(Counter(1 + len(row.before) for row in rows).items())),
        renamed=sum(row.renamed for row in rows),
    )


def _persona(row: Row) -> str:
    return (row.about.task.persona or row.about.suite.world.manifest.persona).id


def suite_entry(suite: Suite, train: int) -> SuiteEntry:
    """The entry of a suite with `train` tasks to train on."""
    world = suite.world.manifest
    return SuiteEntry(
        name=suite.path.name,
        digest=suite.digest,
        world=world.digest,
        kind=world.kind,
        origin=world.origin,
        licence=world.licence,
        train=train,
    )


def _lengths(counts: Sequence[int]) -> Lengths | None:
    if not counts:
        return None
    ordered = sorted(counts)
    return Lengths(
        median=round(statistics.median(ordered)),
        p95=ordered[(95 * len(ordered) - 1) // 100],
        max=ordered[-1],
        total=sum(ordered),
    )
