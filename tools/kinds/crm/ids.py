"""Record ids: 15 characters whose case counts, and 3 that spell the case out again.

The first 15 are the object's prefix, the org's own letters and a running number in base 62 (digits
before capitals before small letters, so that ids sort as they were given). Each of the last 3 stands for
five: bit i is set where the i-th is a capital. An id of 18 can be read in any letter case.
"""

from __future__ import annotations

from functools import lru_cache

ORG = "wK0"
"""The letters that mark ids of generated orgs; no id of a real org is ever used."""

LENGTH = 18
_SHORT = 15
_GROUP = 5
_NUMBER = _SHORT - 3 - len(ORG)
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"


def make_id(prefix: str, number: int) -> str:
    """The id of the `number`-th record of the object with `prefix`."""
    digits = []
    rest = number
    while rest:
        rest, digit = divmod(rest, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return with_checksum(prefix + ORG + "".join(reversed(digits)).rjust(_NUMBER, "0"))


def number_of(record_id: str) -> int:
    """The running number in an id that `make_id` made."""
    number = 0
    for digit in record_id[_SHORT - _NUMBER : _SHORT]:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return number


def with_checksum(short: str) -> str:
    """An id of 15 characters with its 3 check characters."""
    return short + "".join(_check(short[at : at + _GROUP]) for at in range(0, _SHORT, _GROUP))


def canonical(text: str) -> str | None:
    """`text` as an id of 18 characters, or None if it is not an id.

    Takes 15 characters as they are, and 18 in any case: the check characters restore it.
    """
    if len(text) not in (_SHORT, LENGTH) or not (text.isascii() and text.isalnum()):
        return None
    return with_checksum(text) if len(text) == _SHORT else _restored(text)


@lru_cache(maxsize=65_536)  # each query compares the same ids again
def _restored(text: str) -> str | None:
    checks = text[_SHORT:].upper()
    if any(check not in _CHECKS for check in checks):
        return None
    letters = []
    for place, letter in enumerate(text[:_SHORT]):
        group, bit = divmod(place, _GROUP)
        capital = _CHECKS.index(checks[group]) >> bit & 1
        letters.append(letter.upper() if capital else letter.lower())
    restored = "".join(letters)
    return restored + checks if with_checksum(restored) == restored + checks else None


def _check(group: str) -> str:
    return _CHECKS[sum(1 << bit for bit, letter in enumerate(group) if letter.isupper())]
