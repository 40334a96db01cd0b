"""Files of code put together from the function templates, and faults planted in them."""

from __future__ import annotations

import ast
import difflib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from string import Template

from tools.files.data_files import read_text, read_toml
from tools.kinds.enterprise.generate.code.patches.faults import faults

_SOURCES = ("functions_data", "functions_text", "functions_business")


@dataclass(frozen=True)
class Function:
    """A template of a function: many names for one meaning.

    Attributes:
        key: what the template is called.
        names, arguments: what the function and its main argument may be called.
        code: its text with `$f` and `$x` for those names.
        cases: `call == literal`, with the same placeholders.
    """

    key: str
    names: tuple[str, ...]
    arguments: tuple[str, ...]
    code: str
    cases: tuple[str, ...]

    def render(self, name: str, argument: str) -> str:
        return Template(self.code).substitute(f=name, x=argument)


@dataclass(frozen=True)
class Proven:
    """A fault that at least one case of its function tells from the right code (`faults.json`).

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
class Part:
    """One function of a module."""

    function: Function
    name: str
    argument: str

    @property
    def source(self) -> str:
        return self.function.render(self.name, self.argument)

    @property
    def cases(self) -> list[str]:
        return [Template(case).substitute(f=self.name) for case in self.function.cases]


@dataclass(frozen=True)
class Module:
    """A file of code without faults."""

    header: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return self._with([part.source for part in self.parts])

    @property
    def tests(self) -> str:
        """Test functions for all parts, one case each."""
        return "\n\n".join(
            f"def test_{part.name}_{number}():\n    assert {case}\n"
            for part in self.parts
            for number, case in enumerate(part.cases, 1)
        )

    def with_part(self, number: int, source: str) -> str:
        """The file with another text for one part."""
        return self._with([source if n == number else part.source for n, part in enumerate(self.parts)])

    def _with(self, sources: Sequence[str]) -> str:
        return "\n\n".join((f'"""{self.header}"""\n', *sources))


@dataclass(frozen=True)
class Planted:
    """A fault in one function of a module, as an issue reports it.

    Attributes:
        code: the whole faulty file.
        line: the line of the file that is wrong.
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
def functions() -> dict[str, Function]:
    """All templates by key."""
    found = {}
    for source in _SOURCES:
        for key, value in read_toml(__package__, f"{source}.toml").items():
            cases = tuple(value["cases"].strip().splitlines())
            found[key] = Function(key, tuple(value["names"]), tuple(value["arguments"]), value["code"], cases)
    return found


@cache
def proven() -> dict[str, tuple[Proven, ...]]:
    """The faults worth planting, by template."""
    faults = json.loads(read_text(__package__, "faults.json"))
    return {key: tuple(Proven(*entry) for entry in entries) for key, entries in faults.items()}


def draw_module(numbers: random.Random, header: str, size: int) -> Module:
    """A module of `size` different functions under names drawn for it."""
    keys = numbers.sample(sorted(functions()), size)
    parts = []
    for function in (functions()[key] for key in keys):
        parts.append(Part(function, numbers.choice(function.names), numbers.choice(function.arguments)))
    return Module(header, tuple(parts))


def plant(numbers: random.Random, module: Module, part: int) -> Planted:
    """One of the proven faults, in function number `part` of `module`."""
    chosen = module.parts[part]
    entry = _draw(numbers, proven()[chosen.function.key])
    fault = _fault(chosen, entry.number)
    code = module.with_part(part, fault[1])
    call, _, expected = chosen.cases[entry.case].rpartition(" == ")
    before = code.index(fault[1])
    line = code[:before].count("\n") + fault[0]
    return Planted(code, chosen.name, entry.operator, line, call, _literal(expected), entry.got)


def _draw(numbers: random.Random, entries: Sequence[Proven]) -> Proven:
    """The operator first: else wrong variables, of which there are most, would crowd out the others."""
    operator = numbers.choice(sorted({entry.operator for entry in entries}))
    return numbers.choice([entry for entry in entries if entry.operator == operator])


@cache
def _fault(part: Part, number: int) -> tuple[int, str]:
    found = faults(part.source)[number]
    return found.line, found.source


def _literal(text: str) -> str:
    return repr(ast.literal_eval(text))


def make_diff(before: str, after: str, path: str) -> str:
    """The unified diff from `before` to `after`, as git prints it for the file `path`."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm="", n=3
    )
    return "".join(f"{line}\n" for line in lines)
