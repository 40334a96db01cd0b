"""A small text index for short requests: TF-IDF over words and word pairs, slot values folded to their type.

Two requests with the same intent differ in names, dates, numbers and quoted titles. Those are replaced by
type marks before weighing, so that the request next to "move Ann's call to Friday" is "move Bob's call to
Monday" and not the one that happens to mention Ann.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from retrievers.protocol import Hit

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

_PLAIN_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})

# Order matters: what looks like part of an earlier kind is gone when a later one is tried.
_SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    # A quote mark inside a word is an apostrophe, so a quotation starts after and ends before a gap.
    ("_quote", re.compile(r"(?<!\w)(?:'[^'\n]+(?:'\w[^'\n]*)*'|\"[^\"\n]+\")(?!\w)")),
    ("_email", re.compile(r"\b[\w.+-]+@[\w.-]+\b")),
    ("_date", re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b")),
    ("_date", re.compile(rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b", re.I)),
    ("_date", re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b", re.I)),
    ("_weekday", re.compile(rf"\b{_WEEKDAY}\b", re.I)),
    ("_time", re.compile(r"\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b\d{1,2}:\d\d\b|\b(?:noon|midnight)\b", re.I)),
    ("_percent", re.compile(r"\b\d+(?:\.\d+)?\s?(?:%|percent\b)", re.I)),
    ("_number", re.compile(r"\b\d+(?:\.\d+)?\b")),
    # Not the first word of a sentence, which is capital whatever it is, nor an abbreviation.
    ("_name", re.compile(r"(?<=[a-z,_'] )(?:[A-Z][a-z][\w-]*)(?: [A-Z][a-z][\w-]*)*")),
    # Names typed carelessly still own things; the words listed are not owners.
    (
        "_name",
        re.compile(
            r"\b(?!(?:it|let|that|what|there|here|who|he|she|how|where|today|week)')[a-z]+(?='s\b)", re.I
        ),
    ),
)
_WORD = re.compile(r"[a-z_]+(?:'(?!s\b)[a-z]+)?")


def abstract(text: str) -> list[str]:
    """The words of `text` in lower case, common endings cut, slot values replaced by their type."""
    text = text.translate(_PLAIN_QUOTES)
    for mark, pattern in _SLOTS:
        text = pattern.sub(mark, text)
    return [word if word[0] == "_" else _stem(word) for word in _WORD.findall(text.lower()) if word != "s"]


def _stem(word: str) -> str:
    """A crude stem; only has to send the common forms of one verb or noun to the same string."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _features(text: str) -> Counter[str]:
    words = abstract(text)
    features = Counter(words)
    features.update(f"{first} {second}" for first, second in zip(["^", *words], [*words, "$"], strict=True))
    return features


class LexicalIndex:
    """Immutable index over keyed texts. Safe to share between threads; the same texts give the same hits."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        counted = {key: _features(texts[key]) for key in sorted(texts)}
        frequency = Counter(feature for features in counted.values() for feature in features)
        total = len(counted)
        self._weight = {
            feature: math.log((1 + total) / (0.5 + count)) for feature, count in frequency.items()
        }
        self._keys = tuple(counted)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._vectors: list[dict[str, float]] = []
        for position, features in enumerate(counted.values()):
            vector = self._vector(features)
            self._vectors.append(vector)
            for feature, value in vector.items():
                self._postings[feature].append((position, value))

    def __len__(self) -> int:
        return len(self._keys)

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        """The `k` texts nearest to `text`, best first, ties by key.

        Args:
            exclude: keys that must not be returned.
        """
        scores = self._scores(self._vector(_features(text)))
        banned = set(exclude)
        ranked = sorted(
            ((-score, key) for key, score in zip(self._keys, scores, strict=True) if key not in banned)
        )
        return [Hit(key, -score) for score, key in ranked[:k]]

    def similarities(self) -> dict[str, dict[str, float]]:
        """Cosine similarity of every text to every other that shares a feature with it."""
        table: dict[str, dict[str, float]] = {}
        for key, vector in zip(self._keys, self._vectors, strict=True):
            scores = self._scores(vector)
            table[key] = {other: score for other, score in zip(self._keys, scores, strict=True) if score}
        return table

    def _scores(self, vector: Mapping[str, float]) -> list[float]:
        scores = [0.0] * len(self._keys)
        for feature, value in vector.items():
            for position, weight in self._postings.get(feature, ()):
                scores[position] += value * weight
        # Rounded, so that the order of additions can never decide a tie.
        return [round(score, 9) for score in scores]

    def _vector(self, features: Mapping[str, int]) -> dict[str, float]:
        raw = {
            feature: (1 + math.log(count)) * self._weight[feature]
            for feature, count in features.items()
            if feature in self._weight
        }
        norm = math.sqrt(sum(value * value for value in raw.values())) or 1.0
        return {feature: value / norm for feature, value in raw.items()}
