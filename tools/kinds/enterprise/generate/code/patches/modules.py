"""Python files put together from function templates, and faults planted in them."""

from __future__ import annotations

import ast
import difflib
import json
import random
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import zip_longest

from worksmith.tools.files.data_files import read_text
from worksmith.tools.kinds.enterprise.generate.code.families.python_functions import Function, functions
from worksmith.tools.kinds.enterprise.generate.code.patches.faults import faults
from worksmith.tools.kinds.enterprise.generate.code.subjects import Subject, python_text

_WIDTH = 96
_PLACES = re.compile(r"(?<![A-Za-z])(?:NAME|ROWS|DOC)(?![A-Za-z])")
_WORD = re.compile(r"\w+")
_ROWS = (
    "MANY", "all_MANY", "known_MANY", "recent_MANY", "listed_MANY", "loaded_MANY", "MANY_read", "MANY_found",
    "current_MANY", "MANY_of_month", "raw_MANY", "stored_MANY", "MANY_on_file", "sent_MANY",
)  # fmt: skip
"""What the main argument may be called."""


@dataclass(frozen=True)
class Proven:
    """A fault that at least two cases of its function tell from the right code (`proofs.json`).

    Attributes:
        number: its place in `faults` of the function.
        case: the first case that fails.
        got: what the faulty code gives there; the name of an exception after `raises `.
    """

    number: int
    operator: str
    case: int
    got: str


@dataclass(frozen=True)
class Proof:
    """The known facts of a template.

    Attributes:
        expected: the value of each of its calls.
        faults: those worth planting.
    """

    expected: tuple[str, ...]
    faults: tuple[Proven, ...]


@dataclass(frozen=True)
class Part:
    """One function of a file."""

    function: Function
    words: Subject
    name: str
    rows: str
    doc: str

    @cached_property
    def source(self) -> str:
        return self.code_of(self.function.code)

    def code_of(self, template: str) -> str:
        """The text of the function; a long first line is folded."""
        first, rest = self.render(template.strip("\n")).split("\n", 1)
        if len(first) > _WIDTH:
            head, _, arguments = first.removesuffix("):").partition("(")
            first = f"{head}(\n    {arguments}\n):"
        return f"{first}\n{rest}\n"

    @cached_property
    def cases(self) -> list[tuple[str, str]]:
        """Calls with their right results."""
        return [
            (self.render(call), self.render(value))
            for call, value in zip(self.function.calls, proofs()[self.function.key].expected, strict=True)
        ]

    def render(self, template: str) -> str:
        """A text of the template with the words of the subject and the names drawn."""
        given = {"NAME": self.name, "ROWS": self.rows, "DOC": self.doc}
        return python_text(_PLACES.sub(lambda found: given[found[0]], template), self.words)


@dataclass(frozen=True)
class Module:
    """A Python file without faults."""

    header: str
    parts: tuple[Part, ...]

    @cached_property
    def text(self) -> str:
        return self._with([part.source for part in self.parts])

    @cached_property
    def tests(self) -> str:
        """Test functions for all parts, one case each."""
        return "\n\n".join(
            f"def test_{part.name}_{number}():\n    assert {call} == {value}\n"
            for part in self.parts
            for number, (call, value) in enumerate(part.cases, 1)
        )

    def with_part(self, number: int, source: str) -> str:
        """The file with another text for one part."""
        return self._with([source if n == number else part.source for n, part in enumerate(self.parts)])

    def _with(self, sources: Sequence[str]) -> str:
        return "\n\n".join((f"{self.header}\n", *sources))


@dataclass(frozen=True)
class Planted:
    """A fault in one function of a module, as an issue reports it.

    Attributes:
        code: the whole faulty file.
        line: the first line of the file that is wrong.
        call, expected, got: a failing test; `got` may be `raises ValueError`.
    """

    code: str
    name: str
    operator: str
    line: int
    call: str
    expected: str
    got: str


@cache
def proofs() -> dict[str, Proof]:
    """The known facts of each template, by its key."""
    found = {}
    for key, entry in json.loads(read_text(__package__, "proofs.json")).items():
        expected = functions()[key].expected or tuple(entry["expected"])
        found[key] = Proof(expected, tuple(Proven(*fault) for fault in entry["faults"]))
    return found


def draw_module(numbers: random.Random, header: str, words: Subject, size: int, taken: set[str]) -> Module:
    """A module of `size` functions of different families.

    Args:
        taken: names of functions that the module's repository has already; the new ones are added.
    """
    parts: list[Part] = []
    families: set[str] = set()
    for key in numbers.sample([*functions()], len(functions())):
        if len(parts) == size:
            break
        function, family = functions()[key], key.partition("/")[0]
        name = python_text(numbers.choice(function.names), words)
        if family in families or name in taken:
            continue
        families.add(family)
        taken.add(name)
        doc = docstring(python_text(numbers.choice(function.docs), words))
        rows = [one for one in _ROWS if one not in _WORD.findall(function.code)]
        parts.append(Part(function, words, name, numbers.choice(rows), doc))
    return Module(header, tuple(parts))


def docstring(text: str) -> str:
    """The inside of a docstring in a function, on several lines if it is long."""
    lines = textwrap.wrap(text, _WIDTH - 10)
    return lines[0] if len(lines) == 1 else "\n    ".join([*lines, ""])


def plant(numbers: random.Random, module: Module, part: int) -> Planted:
    """One of the proven faults, in function number `part` of `module`."""
    chosen = module.parts[part]
    entry = _draw(numbers, proofs()[chosen.function.key].faults)
    code = module.with_part(part, chosen.code_of(_faulty(chosen.function.key)[entry.number]))
    pairs = zip_longest(code.splitlines(), module.text.splitlines())
    line = next(number for number, (wrong, right) in enumerate(pairs, 1) if wrong != right)
    call, expected = chosen.cases[entry.case]
    got = chosen.render(entry.got)
    return Planted(code, chosen.name, entry.operator, line, call, _literal(expected), got)


def _draw(numbers: random.Random, entries: Sequence[Proven]) -> Proven:
    """The operator first: else wrong variables, of which there are most, would crowd out the others."""
    operator = numbers.choice(sorted({entry.operator for entry in entries}))
    return numbers.choice([entry for entry in entries if entry.operator == operator])


@cache
def _faulty(key: str) -> list[str]:
    """The template with each of its faults."""
    return [fault.source for fault in faults(functions()[key].code.strip("\n") + "\n")]


def _literal(text: str) -> str:
    return repr(ast.literal_eval(text))


def make_diff(before: str, after: str, path: str) -> str:
    """The unified diff from `before` to `after`, as git prints it for the file `path`."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm="", n=3
    )
    return "".join(f"{line}\n" for line in lines)
