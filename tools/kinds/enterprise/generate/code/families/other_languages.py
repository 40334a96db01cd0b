"""Files in JavaScript, SQL and shell, put together from families of functions."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.generate.code.subjects import Subject, other_text

_NAME = re.compile(r"\bNAME\b")
_SHELL = "\nset -euo pipefail\nWORK=$(mktemp -d -t @many.XXXXXX)\n"


@dataclass(frozen=True)
class Language:
    """How files of a language look.

    Attributes:
        file: the data file with the functions.
        comment: what a line of a comment begins with.
        path: where a file lies, by its name without the ending.
        head: the first lines, before the comment.
        camel: whether names are in camel case.
        sizes: how many functions a file has.
    """

    file: str
    comment: str
    path: str
    head: str = ""
    camel: bool = False
    sizes: tuple[int, ...] = (3, 4, 4, 5)


LANGUAGES = {
    "JavaScript": Language("javascript.toml", "// ", "web/{}.js", camel=True),
    "SQL": Language("sql.toml", "-- ", "sql/{}.sql", sizes=(4, 5, 6)),
    "Shell": Language("shell.toml", "# ", "bin/{}.sh", "#!/bin/bash\n"),
}


@dataclass(frozen=True)
class _Function:
    family: str
    name: str
    doc: str
    code: str


def draw_file(
    numbers: random.Random, language: str, comment: list[str], words: Subject, taken: set[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The text of a file and the names of its functions; None if the repository has too many of them.

    Args:
        comment: the lines that it begins with.
        taken: names of functions that the file's repository has already; the new ones are added.
    """
    chosen = LANGUAGES[language]
    size, every = numbers.choice(chosen.sizes), _functions(chosen.file)
    parts: dict[str, str] = {}
    families: set[str] = set()
    for function in numbers.sample(every, len(every)):
        if len(parts) == size:
            break
        name = _filled(function.name, words, chosen)
        if function.family in families or name in taken:
            continue
        families.add(function.family)
        taken.add(name)
        doc = f"{chosen.comment}{_filled(function.doc, words, chosen)}\n"
        parts[name] = doc + _NAME.sub(name, _filled(function.code, words, chosen)).strip("\n") + "\n"
    if len(parts) < min(chosen.sizes):
        return None
    head = chosen.head + "".join(f"{chosen.comment}{line}".rstrip() + "\n" for line in comment)
    text = "\n".join((head + _beginning(language, words), *parts.values(), *_end(language, words, [*parts])))
    return text, tuple(parts)


def _beginning(language: str, words: Subject) -> str:
    if language == "SQL":
        return "\n" + other_text(str(read_toml(__package__, "sql.toml")["table"]), words).lstrip("\n")
    if language == "Shell":
        return other_text(_SHELL, words)
    return ""


def _end(language: str, words: Subject, names: list[str]) -> Iterator[str]:
    """The last lines of a script: which of its functions is called."""
    if language == "Shell":
        choices = "".join(f'    {name}) shift; {name} "$@" ;;\n' for name in names)
        usage = f'    *) echo "usage: {words["many"]}.sh {"|".join(names)} ..." >&2; exit 64 ;;\n'
        yield f"case ${{1:-}} in\n{choices}{usage}esac\n"


@cache
def _functions(file: str) -> tuple[_Function, ...]:
    data = read_toml(__package__, file)
    return tuple(
        _Function(name, _filtered(family["name"], chosen), family["doc"], _filtered(family["code"], chosen))
        for name, family in data["families"].items()
        for chosen in (data["filters"].values() if "{test}" in family["code"] else [{}])
    )


def _filtered(text: str, chosen: dict[str, Any]) -> str:
    text = text.replace("{argument}", chosen.get("argument", ""))
    return text.replace("{test}", chosen.get("test", "")).replace("{word}", chosen.get("word", ""))


def _filled(text: str, words: Subject, language: Language) -> str:
    return other_text(text, words, camel=language.camel)
