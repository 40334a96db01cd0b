"""The card of training data: a file beside them, for people and for what trains on them.

`sft.card.json` lies beside `sft.jsonl`. It depends on nothing but sources and settings, as the data do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from worksmith.tools.files.json_files import read_model

FORMAT: Literal["worksmith-data/1"] = "worksmith-data/1"

CHARACTERS = "characters / 4"
"""How tokens are counted where no tokenizer is named."""

_WHAT = "the card of training data"


Method = Literal["sft", "dpo"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SuiteEntry(_Entry):
    """A suite that tasks come from.

    Attributes:
        name: of its folder.
        train: its tasks that may be trained on.
        licence: of its world; empty if it names none.
    """

    name: str
    digest: str
    world: str
    kind: str
    origin: str
    licence: str
    train: int


class SourceEntry(_Entry):
    """A source of trajectories.

    Attributes:
        name: as it was named.
        digest: its content address.
        model: that made the trajectories.
        found: their number.
        used: the number of rows with one of them.
    """

    name: str
    kind: Literal["suite", "bank", "run"]
    digest: str
    model: str
    found: int
    used: int


class Lengths(_Entry):
    """Tokens of rows: all messages of a row, without the additions of a chat template."""

    median: int
    p95: int
    max: int
    total: int


class FileEntry(_Entry):
    """A file of rows.

    Attributes:
        name: of the file, beside the card.
        sha256: of its bytes.
        assistant_tokens: of the turns to learn: those of the assistant, of `completion`, or of `chosen`.
        conversations: rows by the number of conversations in them.
        renamed: rows whose tools and arguments have new names.
    """

    name: str
    sha256: str
    rows: int
    tasks: int
    intents: dict[str, int]
    personas: int
    tokens: Lengths | None
    assistant_tokens: int
    conversations: dict[int, int] = {}
    renamed: int = 0


class HeldBackEntry(_Entry):
    """The comparison with tasks that programs are measured on.

    Attributes:
        tasks: held back.
        excluded: digests of suites that are not sources.
        compared: texts of training tasks.
        same, near: training tasks left out since they ask the same, or nearly the same.
        left_out: their names.
    """

    tasks: int
    excluded: dict[str, str]
    compared: int
    same: int
    near: int
    left_out: tuple[str, ...]


class DataCard(_Entry):
    """The card.

    Attributes:
        method: the purpose of the data.
        columns: of a row, in order.
        prompt: format of the prompts, as the setting of an agent has it.
        program: the configuration of the agent that shows them.
        tokens_by: the tokenizer's model, or `CHARACTERS`.
        files: the data; the second one is for validation.
        left_out: why trajectories of the sources gave no row, with counts.
        faults: why turns are rejected, with counts.
        settings: those that can change the data.
    """

    format: Literal["worksmith-data/1"] = FORMAT
    method: Method
    layout: Literal["trl", "paper"]
    columns: tuple[str, ...]
    prompt: str
    program: dict[str, Any]
    tokens_by: str
    seed: int
    scheme: str
    files: tuple[FileEntry, ...]
    suites: tuple[SuiteEntry, ...]
    sources: tuple[SourceEntry, ...]
    held_back: HeldBackEntry
    left_out: dict[str, NonNegativeInt]
    faults: dict[str, NonNegativeInt]
    settings: dict[str, Any]
    versions: dict[str, str]

    @property
    def licences(self) -> tuple[str, ...]:
        return tuple(sorted({suite.licence for suite in self.suites if suite.licence}))

    def markdown(self) -> str:
        worlds = Counter(f"{one.kind} ({one.licence or 'no licence named'})" for one in self.suites)
        lines = [
            f"# {'Supervised fine-tuning' if self.method == 'sft' else 'Preferences'}: {self.files[0].name}",
            "",
            "| file | rows | tasks | intents | personas | tokens of a row (median, p95, max) | all tokens |",
            "|---|---|---|---|---|---|---|",
            *map(_file_line, self.files),
            "",
            f"- Tokens: {self.tokens_by}.",
            f"- Columns: {', '.join(self.columns)}. Prompts: {self.prompt}, {_strategy(self.program)}.",
            f"- Worlds: {_counted(worlds)}.",
            *map(_documents_line, (one for one in self.files if max(one.conversations, default=1) > 1)),
            *(f"- Source: {one.name} ({one.kind}, {one.model}), {one.used} rows" for one in self.sources),
            f"- Held back: {self.held_back.tasks:,} tasks; none of them, and none nearly the same, is inside "
            f"({self.held_back.same} the same and {self.held_back.near} near ones left out).",
        ]
        if self.faults:
            lines.append(f"- Rejected for: {_counted(self.faults)}.")
        if self.left_out:
            lines.append(f"- Without a row: {_counted(self.left_out)}.")
        return "\n".join(lines)


def card_beside(data: Path) -> Path:
    return data.with_name(data.name.removesuffix(".jsonl") + ".card.json")


def read_data_card(data: Path) -> DataCard:
    """The card of a file of data.

    Raises:
        InputError: it is missing, or is not such a card.
    """
    return read_model(card_beside(data), DataCard, _WHAT, hint="export the data again")


def _file_line(file: FileEntry) -> str:
    size = file.tokens
    each = f"{size.median:,}, {size.p95:,}, {size.max:,}" if size else "-"
    total = f"{size.total:,}" if size else "0"
    row = (file.name, f"{file.rows:,}", f"{file.tasks:,}", len(file.intents), file.personas, each, total)
    return f"| {' | '.join(map(str, row))} |"


def _documents_line(file: FileEntry) -> str:
    numbers = ", ".join(f"{rows:,} with {number}" for number, rows in file.conversations.items())
    return f"- Conversations of a row of {file.name}: {numbers}. Renamed rows: {file.renamed:,}."


def _strategy(program: dict[str, Any]) -> str:
    strategy = program.get("strategy")
    return f"strategy {strategy['name']}" if isinstance(strategy, dict) and "name" in strategy else "own"


def _counted(counts: dict[str, int] | Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in _descending(counts.items()))


def _descending(pairs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
