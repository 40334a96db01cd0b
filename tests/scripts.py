"""Requests in many scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Language(NamedTuple):
    """Requests of one language.

    Attributes:
        known: three requests, of different intents.
        asked: for each, another one of its intent.
        word: a word of the first known one alone.
    """

    known: list[str]
    asked: list[str]
    word: str


_FILE = Path(__file__).with_suffix(".json")

LANGUAGES = {name: Language(**entry) for name, entry in json.loads(_FILE.read_text(encoding="utf-8")).items()}
