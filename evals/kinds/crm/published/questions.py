"""The question in a published text, apart from what may follow it: ids, and the form of the answer."""

from __future__ import annotations

import re

from evals.kinds.crm.published.texts import tidy

_ID = re.compile(r"\b[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?\b")
_SENTENCE = re.compile(r"(?<=[?.!])\s+(?=[A-Z¤])")
_FORMAT = re.compile(
    r"^(?:please )?(?:only )?(?:return|respond|answer|reply|output|submit|give|provide"
    r"|the (?:associated|relevant) )"
)
_FORMAT_SIGN = re.compile(
    r"\b(?:only|just|ids?|abbreviations?|format|two-letter|no (?:explanation|sentence)|month name)\b"
)


def question_of(wording: str) -> str:
    """A wording without ids and without the sentences on the form of the answer that may follow it."""
    text = tidy(wording)
    text = _ID.sub(lambda found: " " * len(found[0]) if any(map(str.isdigit, found[0])) else found[0], text)
    first, *others = _SENTENCE.split(text)
    kept = [first, *(each for each in others if not _on_form(each.lower()))]
    return tidy(" ".join(kept))


def _on_form(sentence: str) -> bool:
    return bool(_FORMAT.search(sentence) and _FORMAT_SIGN.search(sentence))
