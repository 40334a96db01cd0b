"""Write docs/api/ from the signatures and docstrings of the public names: `python docs/api_pages.py`."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import worksmith as ws
from worksmith.tools.kinds.own_data.context import Records

TARGET = Path(__file__).parent / "api"
NAMES = [name for name in sorted(ws.__all__, key=str.lower) if name != "__version__"]
HEAD = """# Python API

Generated from signatures and docstrings by `make docs`; tests check that the pages are current, and run every
example. In the examples `env` and `suite` are the environment and the tasks of `examples/own_data.py`.

    import worksmith as ws

| name | purpose |
|---|---|
"""
MODULES = (
    "worksmith.plugins.worlds",
    "worksmith.plugins.agents",
    "worksmith.plugins.episodes",
    "worksmith.plugins.optimizers",
    "worksmith.exports.dspy",
    "worksmith.exports.inspect",
    "worksmith.exports.mlflow",
    "worksmith.exports.training",
    "worksmith.exports.verifiers",
    "worksmith.training",
    "worksmith_suite",
)
"""The public modules beside `worksmith`. All others may change at any time."""

DESCRIBED = "worksmith.plugins.episodes"
"""The public module whose classes have pages: functions of users get them."""

FURTHER = """
## Further public modules

Each has the names listed. All other modules are internal: they change without notice, and no page, example or
new project imports them.

| module | for | names |
|---|---|---|
"""
_WIDTH = 88
_SHOWN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Race", "KNN", "Bootstrap"), ("compile",)),
    "Budget": ("seconds",),
    "Episode": ("call", "finished", "copy", "outcome"),
    "Outcome": ("empty", "changes", "matches", "to_json"),
}
"""The members for users, of classes that have many for their own side of the house."""

_GIVEN = ("Context", "Evaluation", "Comparison", "WorksmithError", "ToolError", "Episode", "Outcome")
"""Classes that users get and do not make, and those without arguments of their own."""

_OWNERS = {"Environment": "env", "Context": "ctx"}
_SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Example):")


def pages() -> dict[str, str]:
    """The text of every page by the name of its file."""
    index = "".join(f"| [`{name}`]({name}.md) | {_first_sentence(name)} |\n" for name in NAMES)
    index += FURTHER + "".join(map(_module, MODULES))
    classes = {f"{name}.md": page(name, DESCRIBED) for name in import_module(DESCRIBED).__all__}
    return {"README.md": HEAD + index} | {f"{name}.md": page(name) for name in NAMES} | classes


def _module(name: str) -> str:
    """The row of a public module."""
    found = import_module(name)
    said = (inspect.getdoc(found) or "").split("\n\n")[0].rstrip(".")
    shown = "[`{0}`]({0}.md)" if name == DESCRIBED else "`{0}`"
    return f"| `{name}` | {said} | {', '.join(map(shown.format, found.__all__))} |\n"


def page(name: str, module: str = "") -> str:
    """The page of a public name, of `worksmith` itself unless a module is named."""
    found = getattr(import_module(module) if module else ws, name)
    parts = [f"# `{module}.{name}`" if module else f"# `ws.{name}`"]
    if not isinstance(found, type):
        parts += [_code(f"ws.{name}", inspect.signature(found)), _text(inspect.getdoc(found) or "")]
        return "\n\n".join(parts) + "\n"
    if name not in _GIVEN:
        parts.append(_code(name if module else f"ws.{name}", inspect.signature(found)))
    parts += [_text(inspect.getdoc(found) or ""), *_inherited(found)]
    parts += _members(_OWNERS.get(name, name.lower()), found, _SHOWN.get(name))
    if name == "Context":
        parts += ["# The records of a table: `ctx[...]`", *_members('ctx["tickets"]', Records)]
    return "\n\n".join(parts) + "\n"


def _inherited(found: type) -> Iterator[str]:
    """The arguments that a class has from one of its bases, as that describes them."""
    base = next(cls for cls in found.__mro__ if "__init__" in vars(cls))
    doc = inspect.getdoc(base) or ""
    if base is not found and base.__module__.startswith("worksmith.") and "\nArgs:" in doc:
        yield _text(doc[doc.index("\nArgs:") + 1 :])


def _members(owner: str, found: type, shown: Collection[str] | None = None) -> Iterator[str]:
    """The public methods and properties that have docstrings; of some classes those that users need."""
    for member, value in _own(found).items():
        function = value.__func__ if isinstance(value, classmethod) else getattr(value, "fget", value)
        function = getattr(function, "func", function)  # a cached property
        doc = inspect.cleandoc(getattr(function, "__doc__", None) or "")
        if member.startswith("_") or not doc or (shown is not None and member not in shown):
            continue
        yield f"## `{member}`"
        if inspect.isfunction(value) or isinstance(value, classmethod):
            signature = inspect.signature(function)
            _, *rest = signature.parameters.values()
            whose = f"ws.{found.__name__}" if isinstance(value, classmethod) else owner
            yield _code(f"{whose}.{member}", signature.replace(parameters=rest))
        yield _text(doc)


def _own(found: type) -> Mapping[str, Any]:
    """The members of a class and of its bases in our packages, the nearest first."""
    members: dict[str, Any] = {}
    for cls in found.__mro__:
        if cls.__module__.startswith("worksmith."):
            kept = {
                name: value
                for name, value in vars(cls).items()
                if inspect.isfunction(value)
                or isinstance(value, classmethod | property)
                or type(value).__name__ == "cached_property"
            }
            members = {**members, **{n: v for n, v in kept.items() if n not in members}}
    return members


def _code(name: str, signature: inspect.Signature) -> str:
    parameters = list(signature.parameters.values())
    shown = _with_marks(parameters, [_parameter(each) for each in parameters])
    given = signature.return_annotation
    result = "" if given is inspect.Signature.empty else f" -> {_type(given)}"
    line = f"{name}({', '.join(shown)}){result}"
    if len(line) > _WIDTH:
        inside = "".join(f"    {each},\n" for each in shown)
        line = f"{name}(\n{inside}){result}"
    return f"```text\n{line}\n```"


def _with_marks(parameters: list[inspect.Parameter], shown: list[str]) -> list[str]:
    """The parameters with `/` and `*` where the signature has them."""
    marked: list[str] = []
    before = inspect.Parameter.VAR_POSITIONAL if not parameters else parameters[0].kind
    for parameter, text in zip(parameters, shown, strict=True):
        if parameter.kind > before == inspect.Parameter.POSITIONAL_ONLY:
            marked.append("/")
        first = not marked or before < inspect.Parameter.VAR_POSITIONAL
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and first:
            marked.append("*")
        before = parameter.kind
        marked.append(text)
    return marked


def _parameter(parameter: inspect.Parameter) -> str:
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    name, kind, default = parameter.name, parameter.annotation, parameter.default
    typed = "" if kind is parameter.empty else f": {_type(kind)}"
    value = "" if default is parameter.empty else f" = {_value(default)}"
    return f"{stars.get(parameter.kind, '')}{name}{typed}{value if typed else value.replace(' ', '')}"


def _type(annotation: Any) -> str:
    shown = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"worksmith(\.\w+)+\.(?=[A-Z])", "", shown)


def _value(default: Any) -> str:
    if isinstance(default, str):
        return f'"{default}"'
    if default is dataclasses._HAS_DEFAULT_FACTORY:  # type: ignore[attr-defined]
        return "..."
    plain = isinstance(default, int | float | tuple | type(None))
    return repr(default) if plain else str(getattr(default, "__name__", type(default).__name__))


def _text(doc: str) -> str:
    """A docstring as Markdown: fields as lists, examples as code."""
    blocks, section = [], ""
    lines: list[str] = []

    def close() -> None:
        text = "\n".join(lines).strip("\n")
        if section:
            blocks.append(f"**{section}**")
        if text:
            blocks.append(_section(section, text) if section else text)
        lines.clear()

    for line in doc.splitlines():
        if found := _SECTION.fullmatch(line):
            close()
            section = found[1]
        elif section and line and not line.startswith(" "):
            close()
            section = ""
            lines.append(line)
        else:
            lines.append(line)
    close()
    return "\n\n".join(blocks)


def _section(section: str, text: str) -> str:
    plain = textwrap.dedent(text)
    if section == "Example":
        return f"```pycon\n{plain}\n```"
    if section == "Returns":
        return " ".join(plain.split())
    entries: list[str] = []
    for line in plain.splitlines():
        if line.startswith(" ") and entries:
            entries[-1] += f" {line.strip()}"
        else:
            entries.append(line)
    return "\n".join(map(_entry, entries))


def _entry(text: str) -> str:
    names, colon, said = text.partition(": ")
    if not colon:
        return f"- {text}"
    return f"- {', '.join(f'`{name.strip()}`' for name in names.split(','))}: {said}"


def _first_sentence(name: str) -> str:
    doc = " ".join((inspect.getdoc(getattr(ws, name)) or "").split("\n\n")[0].split())
    return re.split(r"(?<=\.) ", doc)[0].rstrip(":").replace("|", "\\|")


def write() -> None:
    """Write the pages, and remove those of names that are gone."""
    TARGET.mkdir(exist_ok=True)
    current = pages()
    for file in TARGET.glob("*.md"):
        if file.name not in current:
            file.unlink()
    for name, text in current.items():
        (TARGET / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
