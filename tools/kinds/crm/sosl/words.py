"""Words as the index knows them: small letters without accents, singular."""

from __future__ import annotations

import html
import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)es$")


def words(text: str) -> list[str]:
    """The words of `text`, in order, as the index knows them."""
    return [singular(word) for word in _WORD.findall(flat(html.unescape(text)))]


def forms(word: str) -> list[str]:
    """A word of the index, and its plurals."""
    plurals = [f"{word}s", f"{word}es", f"{word[:-1]}ies"]
    return [word, *(plural for plural in plurals if singular(plural) == word)]


def flat(text: str) -> str:
    """`text` in small letters without accents."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()


def singular(word: str) -> str:
    """`word` without the ending of an English plural."""
    if len(word) < 4 or not word.isascii() or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if _SIBILANT.search(word):
        return word[:-2]
    return word[:-1]
