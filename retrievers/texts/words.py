"""The words of texts in any script.

Scripts without spaces between words, and Korean, which joins particles to words, are taken apart into their
characters: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese. Runs of them stand for their words: two, or
three where a character is a sound alone.
"""

from __future__ import annotations

import re
import unicodedata

import regex  # type: ignore[import-untyped]

WORDS = 2
"""The version of the definition of a word: an index by other words is made again."""

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Line_Break=Complex_Context}"
CHARACTER = rf"[{_UNSPACED}]\p{{M}}*"
"""A pattern for `regex`: a character of a script without spaces, with its marks."""

WORD = rf"[^\W{_UNSPACED}]"
"""The same for a character of a word of another script."""

LETTER = rf"[^\W\d{_UNSPACED}]"
"""The same without digits."""

EMOJI = r"\p{Extended_Pictographic}|\p{Regional_Indicator}{2}"

_RUN = regex.compile(rf"(?:{CHARACTER})+|{WORD}+|{EMOJI}")
_PART = regex.compile(rf"{CHARACTER}|{WORD}+|{EMOJI}")
_FIRST = regex.compile(CHARACTER)
_SOUND = regex.compile(r"\p{Line_Break=Complex_Context}")
_CODE = regex.compile(rf"(?<!{WORD})(?:(?!_){LETTER}){{2,}}[-_]?\d{{2,}}(?!{WORD})")
_UNSEEN = regex.compile(r"\p{Default_Ignorable_Code_Point}+")

_SIMPLE = re.compile(r"\w+")
_OTHER = re.compile(r"[^\x00-\xa8\xaf-\u02ff\u2010-\u2027]")
"""In a text without these characters, `_SIMPLE` finds what `_RUN` and `_PART` do, in a fifth of the time."""


def composed(text: str) -> str:
    """The text in one form (NFKC): of letters and marks, of width, of spaces, without unseen characters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _UNSEEN.sub("", text))


def folded(text: str) -> str:
    """The text in one form and in lower case."""
    return text.lower() if text.isascii() else composed(composed(text).casefold())


def words(text: str) -> list[str]:
    """The words of a text in order, folded; of a script without spaces, its characters."""
    text = folded(text)
    found: list[str] = (_PART if _OTHER.search(text) else _SIMPLE).findall(text)
    return found


def terms(text: str, *, asked: bool = False) -> list[str]:
    """The words of a text for an index, folded; of a script without spaces, short runs of characters.

    Args:
        asked: for a query: only the longest of these runs.
    """
    text = folded(text)
    if not _OTHER.search(text):
        return _SIMPLE.findall(text)
    found: list[str] = []
    for run in _RUN.findall(text):
        parts = _PART.findall(run) if _FIRST.match(run) else [run]
        longest = min(len(parts), 3 if _SOUND.match(run) else 2)
        for size in range(longest if asked else 1, longest + 1):
            found += ("".join(parts[at : at + size]) for at in range(len(parts) - size + 1))
    return found


def codes(text: str) -> list[list[str]]:
    """The codes in a text, such as AB-1234, each as its words."""
    return [words(code) for code in _CODE.findall(composed(text))]
