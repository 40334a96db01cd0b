"""How rich texts are: words, vocabulary, sentences that come back, texts that are nearly the same."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import numpy as np

OFTEN = 10
NEAR = 0.8
_SHINGLE = 4
_BANDS, _ROWS = 20, 4
"""Two texts with a Jaccard index of 0.8 meet in a band with a probability of 0.9999."""

_LINE_WORDS = 3
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_SPEAKER = re.compile(r"^\W{0,4}[^\W\d_][\w .'()-]{0,40}?\W{0,3}:\W{0,3}\s", re.MULTILINE)
_LETTERHEAD = re.compile(r"^[^\n]{1,40},$(?:\n[^\n]+)*", re.MULTILINE)
"""A greeting, or a close with the name and company below it."""

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_NUMBER = re.compile(r"\d[\d.,:]*")
_NAME = re.compile(r"(?<=[\w,;] )(?:[A-Z][\w'-]*)(?: [A-Z][\w'-]*)*")
_DEFINITIONS = {
    "JavaScript": re.compile(
        r"\bfunction\s*\*?\s*(\w+)\s*\(|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>"
    ),
    "SQL": re.compile(
        r"\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:function|procedure|view|trigger)\s+"
        r"(?:if\s+not\s+exists\s+)?([\w.]+)",
        re.IGNORECASE,
    ),
    "Shell": re.compile(r"^\s*(?:function\s+)?([\w-]+)\s*\(\)\s*\{", re.MULTILINE),
}


def measure(
    texts: Sequence[str], *, said: bool = False, lines: bool = False, letters: bool = False
) -> dict[str, Any]:
    """The figures of a source.

    Args:
        texts: all texts of the source.
        said: each line begins with a speaker, who is no part of a sentence.
        lines: sentences are lines of three words or more, as in code.
        letters: greeting, close and names are no sentences.

    Returns:
        `records`; `words`, the mean of a text; `vocabulary`, distinct words without digits in lower case;
        `repeated`, the share of sentences, by occurrence, that stand ten times or more in the source;
        `near_duplicates`, the share of texts that have a near duplicate.
    """
    words = [_WORD.findall(text.lower()) for text in texts]
    sentences = Counter(one for text in texts for one in _sentences(text, said, lines, letters))
    often = sum(times for times in sentences.values() if times >= OFTEN)
    return {
        "records": len(texts),
        "words": round(sum(map(len, words)) / len(texts), 1),
        "vocabulary": len({word for text in words for word in text}),
        "repeated": round(often / max(1, sentences.total()), 3),
        "near_duplicates": round(_near(texts) / len(texts), 3),
    }


def commonest(
    texts: Sequence[str], count: int, *, said: bool = False, lines: bool = False, letters: bool = False
) -> dict[str, int]:
    """The sentences that stand most often in the texts, with their numbers."""
    return dict(
        Counter(one for text in texts for one in _sentences(text, said, lines, letters)).most_common(count)
    )


def functions(files: Iterable[tuple[str, str]]) -> dict[str, int]:
    """By language the number of distinct names of functions in files, given as language and code."""
    names: dict[str, set[str]] = defaultdict(set)
    for language, code in files:
        if language == "Python":
            names[language] |= _python(code)
        elif language in _DEFINITIONS:
            for found in _DEFINITIONS[language].findall(code):
                names[language].add(found if isinstance(found, str) else next(filter(None, found)))
    return {language: len(found) for language, found in sorted(names.items())}


def _python(code: str) -> set[str]:
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return set()
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def _sentences(text: str, said: bool, lines: bool, letters: bool) -> Iterable[str]:
    if lines:
        stripped = (line.strip() for line in text.splitlines())
        return (line for line in stripped if len(_WORD.findall(line)) >= _LINE_WORDS)
    spoken = _SPEAKER.sub("", text) if said else _LETTERHEAD.sub("", text) if letters else text
    parts = (" ".join(part.split()).lower() for part in _END.split(spoken))
    return (part for part in parts if _WORD.search(part))


def _near(texts: Sequence[str]) -> int:
    """How many texts share four fifths of their four-word pieces with another, numbers and names aside.

    MinHash finds candidates; their pieces are compared.
    """
    pieces = [_shingles(text) for text in texts]
    buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    numbers = np.random.default_rng(0)
    factors = numbers.integers(1, 2**31 - 1, _BANDS * _ROWS, dtype=np.uint64)
    shifts = numbers.integers(0, 2**31 - 1, _BANDS * _ROWS, dtype=np.uint64)
    for place, found in enumerate(pieces):
        values = np.fromiter(found, np.uint64, len(found))[:, None]
        least = ((values * factors + shifts) % np.uint64(2**31 - 1)).min(axis=0)
        for band in range(_BANDS):
            buckets[band, least[band * _ROWS : (band + 1) * _ROWS].tobytes()].append(place)
    near: set[int] = set()
    for together in buckets.values():
        for one in together:
            if one not in near:
                other = next((o for o in together if o != one and _alike(pieces[one], pieces[o])), None)
                near.update(() if other is None else (one, other))
    return len(near)


def _alike(one: frozenset[int], other: frozenset[int]) -> bool:
    return len(one & other) >= NEAR * len(one | other)


def _shingles(text: str) -> frozenset[int]:
    plain = _NAME.sub("Name", _NUMBER.sub("0", text))
    words = re.findall(r"\w+", plain.lower()) or [""]
    last = max(1, len(words) - _SHINGLE + 1)
    return frozenset(crc32(" ".join(words[at : at + _SHINGLE]).encode()) for at in range(last))
