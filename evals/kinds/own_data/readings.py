"""The content of an answer in any form: the same text, yes or no, a number."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from worksmith.evals.scoring.answers.nothing import trimmed
from worksmith.evals.scoring.answers.values import TYPED, tokens
from worksmith.evals.tasks.task import same_text
from worksmith.retrievers.texts.words import composed
from worksmith.tools.kinds.own_data.locales import Locale

_CLAUSE = re.compile(r"[.!?;:,/()\[\]{}\n…،؛؟।]|\s-+\s|\b(?:and|or|but|so)\b")
_NUMERO = re.compile(r"\bno\.(?=\s*\d)")
_SUBJECT = r"(?:it|this|that|these|those|they|he|she|there|we|you|i|the)\b"
_NEGATED = re.compile(r"\b(?:not|never|cannot)\b|n't\b")
_TRUTH = {"true": True, "false": False}

_UNBROKEN = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_FRACTION = re.compile(r"(?P<whole>\d{1,15})?\s?(?P<part>[¼-¾⅐-⅞])")
_EXPONENT = re.compile(r"(?<![\w.,])\d+(?:\.\d+)?[eE][+-]?\d{1,2}(?!\w|[.,]\d)")
_END = r"(?!\d|[.,']\d)"
_APOSTROPHES = re.compile(r"(?<![\w.,'])\d{1,3}(?:'\d{3})+(?!\d|[,']\d)")
_SURELY_COMMA = re.compile(
    rf"(?<![\w.,'])\d{{1,3}}(?:(?:\.\d{{3}})+,\d+|(?:\.\d{{3}}){{2,}}|(?:[ ']\d{{3}})+,\d\d?){_END}"
    r"|(?<![\w.,'])\d+,\d\d?(?=\s?[€%])"
)
_COMMA = re.compile(rf"(?<![\w.,'])(?:\d{{1,3}}(?:[. ']\d{{3}})+|\d+)(?:,\d+)?{_END}")
_SCALES = (
    (re.compile(r"(?<=\d)M\b|(?<=\d)\s?(?:mn|[Mm]io)\b\.?"), " million"),
    (re.compile(r"(?<=\d)\s?(?:bn|[Mm]rd)\b\.?"), " billion"),
)


def typed(text: str) -> str:
    """The text as a keyboard types it: one form of letters and spaces, plain quotes and dashes."""
    return composed(text).translate(TYPED)


def plainly(text: str) -> str:
    """The text without letter case, and without quotes and full stops around it."""
    return same_text(trimmed(typed(text)))


def says_yes(text: str, locale: Locale) -> bool | None:
    """Whether an answer says yes; None for neither or both.

    A word for yes or no counts if it is a clause, or ends one. A yes that begins the answer counts as well,
    and a no if a subject follows: `no ticket` is not an answer.
    """
    message = re.sub(r"[*_`\"]", "", typed(text).casefold())
    clauses = [" ".join(clause.split()) for clause in _CLAUSE.split(_NUMERO.sub("number ", message))]
    yes, no = (_either(("yes", *locale.yes), "true"), _either(("no", *locale.no), "false"))
    found = {verdict for clause in clauses if (verdict := _at_the_end(clause, yes, no)) is not None}
    first = next(filter(None, clauses), "")
    if re.match(rf"{yes}\s", first):
        found.add(True)
    if re.match(rf"{no}\s{_SUBJECT}", first):
        found.add(False)
    return found.pop() if len(found) == 1 else None


def _either(words: tuple[str, ...], *others: str) -> str:
    return f"(?:{'|'.join(map(re.escape, (*map(same_text, words), *others)))})"


def _at_the_end(clause: str, yes: str, no: str) -> bool | None:
    found = re.fullmatch(rf"(?P<before>.*\s)?(?:(?P<yes>{yes})|(?P<no>{no}))", clause)
    if not found:
        return None
    negated = bool(_NEGATED.search(found["before"] or ""))
    word = found["yes"] or found["no"]
    # "Not true" is no, "I cannot say yes" is neither.
    return None if negated and word not in _TRUTH else (found["yes"] is not None) != negated


def numbers(text: str, locale: Locale) -> set[float]:
    """The numbers in a text, as the locale writes them where a form has two readings."""
    text = typed(_FRACTION.sub(_decimal, _UNBROKEN.sub("'", text)))
    text = _EXPONENT.sub(lambda found: format(Decimal(found[0]), "f"), text)
    text = (_COMMA if locale.comma else _SURELY_COMMA).sub(_pointed, text)
    text = _APOSTROPHES.sub(lambda found: found[0].replace("'", ""), text)
    for scale, word in _SCALES:
        text = scale.sub(word, text)
    return {float(Decimal(token.value)) for token in tokens(text) if token.kind == "number"}


def _decimal(found: re.Match[str]) -> str:
    return f"{found['whole'] or 0}{unicodedata.numeric(found['part']):.15f}".replace("0.", ".", 1)


def _pointed(found: re.Match[str]) -> str:
    return re.sub(r"[. ']", "", found[0]).replace(",", ".")
