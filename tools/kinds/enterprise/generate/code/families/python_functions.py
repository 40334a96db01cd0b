"""The Python functions there are: families over records with each filter, and others with their own cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.files.data_files import read_toml

_ROWS: tuple[dict[str, object], ...] = (
    {"KEY": 11, "LABEL": "A1", "GROUP": "B2", "MEASURE": 4, "OTHER": 3, "STATUS": "S2", "DAY": "2021-02-10"},
    {"KEY": 12, "LABEL": "A2", "GROUP": "B1", "MEASURE": 7, "OTHER": 1, "STATUS": "S3", "DAY": "2021-04-18"},
    {"KEY": 13, "LABEL": "A1", "GROUP": "B2", "MEASURE": 2, "OTHER": 6, "STATUS": "S2", "DAY": "2021-03-01"},
    {"KEY": 14, "LABEL": "A3", "GROUP": "B3", "MEASURE": 5, "OTHER": 2, "STATUS": "S1", "DAY": "2021-05-02"},
    {"KEY": 15, "LABEL": "A2", "GROUP": "B2", "MEASURE": 7, "OTHER": 2, "STATUS": "S2", "DAY": "2021-04-20"},
)
_LISTS = ((0, 1), (2, 4), (3, 1), (0, 2, 4), (4, 3, 0, 1), ())
_GIVEN_FOR, _PARAMETER_FOR = ((2, 4), (0, 1, 3)), (0, 2, 4)
_FIELD = re.compile(r'\["([A-Z]+)"\]')
_PARAMETER = re.compile(r"(\w+)=(?:0|9|0\.0)(?=[,)])")


@dataclass(frozen=True)
class Function:
    """A template of a function; words in capitals stand for those of a subject.

    Attributes:
        key: what the template is called.
        names, docs: what the function may be called, and what its docstring may say.
        code: its text, with NAME, DOC and ROWS for these and for the main argument.
        calls: what its tests call.
        expected: what they should give, where the data file says so.
    """

    key: str
    names: tuple[str, ...]
    docs: tuple[str, ...]
    code: str
    calls: tuple[str, ...]
    expected: tuple[str, ...] = ()


@cache
def functions() -> dict[str, Function]:
    """All templates by key."""
    return {one.key: one for one in (*_over_records(), *_with_cases())}


def _with_cases() -> Iterator[Function]:
    for key, entry in read_toml(__package__, "python_rules.toml").items():
        cases = [case.partition(" == ") for case in entry["cases"].strip().splitlines()]
        calls, expected = zip(*((call, value) for call, _, value in cases), strict=True)
        yield Function(key, tuple(entry["names"]), tuple(entry["doc"]), entry["code"], calls, expected)


def _over_records() -> Iterator[Function]:
    data = read_toml(__package__, "python_records.toml")
    for name, family in data["families"].items():
        for kind, chosen in data["filters"].items():
            code = _filtered(family["code"], chosen)
            docs = tuple(_filtered(doc, chosen) for doc in family["doc"])
            names = tuple(_filtered(one, chosen) for one in family["names"])
            calls = tuple(_calls(code, chosen.get("given", ())))
            yield Function(f"{name}/{kind}", names, docs, code, calls)


def _filtered(text: str, chosen: dict[str, Any]) -> str:
    argument = f", {chosen['argument']}" if "argument" in chosen else ""
    text = text.replace("{argument}", argument)
    for slot in ("test", "tail", "word"):
        text = text.replace(f"{{{slot}}}", chosen[slot])
    return text


def _calls(code: str, given: list[str]) -> Iterator[str]:
    """Calls with few records of just the fields that the code reads, since issues quote them."""
    fields = [name for name in _ROWS[0] if name in _FIELD.findall(code)]

    def rows(numbers: tuple[int, ...]) -> str:
        chosen = ({name: _ROWS[number][name] for name in fields} for number in numbers)
        return "[" + ", ".join(repr(row).replace("'", '"') for row in chosen) + "]"

    yield from (f"NAME({rows(numbers)})" for numbers in _LISTS)
    for value, numbers in zip(given, _GIVEN_FOR, strict=False):
        yield f"NAME({rows(numbers)}, {value})"
    if parameter := _PARAMETER.search(code.strip("\n").splitlines()[0]):
        yield f"NAME({rows(_PARAMETER_FOR)}, {parameter[1]}=6)"
