"""The data and the model of a training, before the model is in memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from worksmith.evals.progress.progress import Progress
from worksmith.exports.training.card import card_beside, read_data_card
from worksmith.jobs.settings.training import TrainDpoSettings, TrainSettings
from worksmith.programs.prompting.forms import COMPACT, check_prompt
from worksmith.tools.errors import InputError, missing_extra
from worksmith.tools.files.json_files import read_file
from worksmith.training.batches import Example, batches_of, longest_of, taught_of, tokens_of
from worksmith.training.encoding import TokenEncoder
from worksmith.training.folder import check_apart, check_out
from worksmith.training.rows import Data, read_data
from worksmith.training.start import Start, check_form, open_start, open_tokenizer

_NEEDED = ("accelerate", "datasets", "peft", "trl")


class Material(NamedTuple):
    """The inputs of a training before its model is in memory.

    Attributes:
        left_out: the number of lines that are too long.
        card: the card of the data, as it lies beside them.
        prompt: the format of the prompts in the data.
        licence: of the model that is trained further, and of the worlds in the data.
    """

    data: Data
    start: Start
    tokenizer: Any
    examples: list[Example]
    left_out: int
    card: bytes | None
    prompt: str
    licence: str

    @property
    def tokens(self) -> int:
        return sum(map(tokens_of, self.examples))

    @property
    def taught(self) -> int:
        return sum(map(taught_of, self.examples))

    def batches(self, settings: TrainSettings) -> list[list[Example]]:
        return batches_of(self.examples, settings.batch_tokens, packing=settings.packing, seed=settings.seed)


def open_material(settings: TrainSettings, progress: Progress) -> Material:
    """Read the data, find the model and turn the data into tokens.

    Raises:
        InputError: a package is missing, the folder may not be written, a line is wrong, all are too long, or
            the model is unknown.
    """
    if not all(importlib.util.find_spec(name) for name in _NEEDED):
        raise missing_extra("training", "train")
    check_out(settings)
    data = read_data(settings.data, preferences=isinstance(settings, TrainDpoSettings))
    start = open_start(settings.model, download=settings.download)
    check_apart(settings.out, (settings.data, start.folder, start.trained))
    check_form(start, settings)
    tokenizer = open_tokenizer(start)
    every = list(_encoded(data, TokenEncoder(tokenizer), settings.data))
    examples = [example for example in every if longest_of(example) <= settings.max_length]
    left_out = len(every) - len(examples)
    if not examples:
        raise InputError(
            f"every line has more than {settings.max_length:,} tokens",
            where=str(settings.data),
            hint=f"the shortest has {min(map(longest_of, every)):,}; give --max-length",
        )
    if left_out:
        progress.say(f"{left_out} of {len(every)} lines are longer than --max-length and are left out")
    card, prompt, licences = _card(settings, data)
    licence = " AND ".join(dict.fromkeys((start.licence, *licences)))
    if settings.licence is None and licence != start.licence:
        progress.say(f"the licence of the result is {licence}; --licence names another one")
    return Material(data, start, tokenizer, examples, left_out, card, prompt, settings.licence or licence)


def _encoded(data: Data, encoder: TokenEncoder, place: Path) -> Iterator[Example]:
    from jinja2 import TemplateError

    for line, row in zip(data.lines, data.rows, strict=True):
        try:
            yield encoder.encode(row)
        except TemplateError as error:
            raise InputError(
                f"the chat template of the model refuses the turns: {error}",
                where=f"{place}:{line}",
                hint="train another model, or leave out what it refuses",
            ) from error


def _card(settings: TrainSettings, data: Data) -> tuple[bytes | None, str, tuple[str, ...]]:
    """The card beside the data, if there is one, the format of prompts, and the licences that it names."""
    place = card_beside(settings.data)
    if not place.is_file():
        return None, check_prompt(settings.prompt or COMPACT), ()
    card = read_data_card(settings.data)
    known = {file.sha256 for file in card.files}
    if data.digest not in known:
        raise InputError(
            "the card is that of other data", where=str(place), hint="export the data again, with its card"
        )
    prompt = check_prompt(settings.prompt or card.prompt)
    return read_file(place, "the card of data"), prompt, card.licences
