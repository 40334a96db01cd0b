"""The content address of the code of programs and functions.

The code is the files that define the program's classes, the classes of its modules and their bases, and
every file of the same package that these import, directly or not; for a script or a module outside a package,
every such file in the same folder. Comments and layout do not count. DSPy, the standard library and other
packages are left out.

worksmith counts as a whole, byte for byte, because every episode runs through it: the folders of `_EPISODES`,
and for a class of a kind or a model the folder that it lies in, such as `worksmith/models/transformer`.

The values that a function is bound to count, its defaults and its closure, at first sight.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from worksmith.tools.canonical import canonical, path
from worksmith.tools.seeding import digest, digest_bytes
from worksmith.tools.sub_modules import named_sub_modules

_OURS = "worksmith"

_EPISODES = ("programs", "evals", "tools", "retrievers")
"""The parts of worksmith that an episode and its scores go through, apart from `_ELSEWHERE`."""

_ELSEWHERE = frozenset({"evals.kinds", "tools.kinds", "evals.authoring", "evals.reporting", "evals.tracking"})

_CODE = (".py", ".toml", ".json", ".txt")

_NOT_OURS = frozenset({"dspy", "builtins", *sys.stdlib_module_names}) - {"__main__"}


def code_digest(program: Any) -> str:
    """The content address of a program's code: its own `code_digest` if it has one, else of its classes.

    Files are read once in a process: later edits do not run.
    """
    own = getattr(program, "code_digest", None)
    if own is not None:
        return str(own() if callable(own) else own)
    if isinstance(program, MethodType):
        defined = {program.__func__, type(program.__self__)}
    elif isinstance(program, FunctionType | partial):
        defined = {program}
    else:
        parts = named_sub_modules(program) if hasattr(program, "named_sub_modules") else [("self", program)]
        defined = {type(part) for _, part in parts}
    return digest([_digest_of(frozenset(defined)), _worksmith(_OURS)])


def functions_digest(functions: Iterable[Callable[..., Any]]) -> str:
    """The content address of functions, their files and what these import."""
    return _digest_of(frozenset(functions))


@lru_cache(maxsize=256)
def _digest_of(defined: frozenset[Any]) -> str:
    found: dict[str, str] = {}
    functions: list[FunctionType] = []
    bound = [digest(_plain(each, functions)) for each in defined if not isinstance(each, type)]
    classes = [one for each in defined if isinstance(each, type) for one in each.__mro__]
    for one in (*classes, *functions):
        # A function that was wrapped bears the name of the wrapped one's module.
        runs_in = getattr(one, "__globals__", {}).get("__name__", "")
        if runs_in.partition(".")[0] == _OURS:
            found.update(_worksmith(runs_in))
        if one.__module__.partition(".")[0] not in _NOT_OURS:
            found.update(_with_imports(one))
    return digest([found, sorted(bound)])


def _plain(value: Any, functions: list[FunctionType]) -> Any:
    """A value that a function may be bound to as JSON-able data; notes the functions in it."""
    match value:
        case FunctionType():
            if value in functions:
                return value.__qualname__
            functions.append(value)
            cells = [_content(cell) for cell in value.__closure__ or ()]
            given = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *cells]
            return [value.__qualname__, [_plain(each, functions) for each in given]]
        case partial():
            given = [value.func, *value.args, *value.keywords, *value.keywords.values()]
            return [_plain(each, functions) for each in given]
        case tuple():
            return [_plain(each, functions) for each in value]
    return canonical(value, _served)


def _served(value: Any) -> Any:
    """An object that does something counts by its class, a model by its name as well."""
    return [path(value), str(getattr(value, "model", ""))]


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not yet defined
        return None


def _with_imports(defined: Any) -> dict[str, str]:
    """Content addresses, by name, of the file that defines a class or function and of its imports."""
    if defined.__module__.partition(".")[0] == _OURS:
        return _worksmith(defined.__module__)
    module = sys.modules.get(defined.__module__)
    start = _place(module) if module is not None else None
    if start is None or not _defines(start.file, defined):
        live = digest(list(_live(defined, set())))
        return {f"{defined.__module__}:{defined.__qualname__}:{live}": live}
    found: dict[str, str] = {}
    owed = [start]
    while owed:
        place = owed.pop()
        if place.name not in found:
            tree = _parsed(place.file)
            found[place.name] = hashlib.sha256(ast.dump(tree, annotate_fields=False).encode()).hexdigest()
            owed.extend(_imported(tree, place))
    return found


@cache
def _worksmith(module: str) -> dict[str, str]:
    """The content addresses of worksmith's code on the path of a module, by folder."""
    parts = module.split(".")[1:-1]
    of_kind = parts[1:2] == ["kinds"]
    folders: list[tuple[str, ...]] = [_EPISODES]
    if parts and (of_kind or parts[0] not in _EPISODES):
        folders.append(("/".join(parts[: 3 if of_kind else 2]),))
    return {" ".join(each): _content_of(each) for each in folders}


@cache
def _content_of(folders: tuple[str, ...]) -> str:
    (root,) = sys.modules[_OURS].__path__
    files: dict[str, str] = {}
    for folder, below, names in (found for each in folders for found in os.walk(os.path.join(root, each))):
        place = os.path.relpath(folder, root).replace(os.sep, "/")
        below[:] = [name for name in below if f"{place}/{name}".replace("/", ".") not in _ELSEWHERE]
        for name in names:
            if name.endswith(_CODE):
                files[f"{place}/{name}"] = digest_bytes(Path(folder, name).read_bytes())
    return digest(files)


class _Place(NamedTuple):
    """A file of a program.

    Attributes:
        root: the folder that its name is relative to.
        package: the package that it may import from; None for every file below `root`.
    """

    name: str
    file: Path
    root: Path
    package: str | None

    def other(self, name: str) -> _Place | None:
        """The module or package `name` of the same package or folder, if there is one."""
        first = name.partition(".")[0]
        if first == _OURS or first in _NOT_OURS or self.package not in (None, first):
            return None
        path = self.root.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return _Place(name, file, self.root, self.package)
        return None


def _place(module: ModuleType) -> _Place | None:
    """The file of a module; None without one."""
    if not getattr(module, "__file__", None) or not str(module.__file__).endswith(".py"):
        return None
    # Not resolved: a package may be a link, and its modules lie below the folder that Python found it in.
    file = Path(str(module.__file__)).absolute()
    name = file.stem if module.__name__ == "__main__" else module.__name__
    parts = name.split(".")
    above = len(parts) if file.name == "__init__.py" else len(parts) - 1
    root = file.parents[above]
    # A module that was installed by itself lies among everybody else's.
    alone = (
        len(parts) == 1 and file.name != "__init__.py" and root.name not in ("site-packages", "dist-packages")
    )
    return _Place(name, file, root, None if alone else parts[0])


def _parsed(file: Path) -> ast.Module:
    # A module that was edited and loaded again has other classes, whose code is then read again.
    return _parsed_at(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=1024)
def _parsed_at(file: Path, _modified: int) -> ast.Module:
    return ast.parse(file.read_bytes())


def _defines(file: Path, defined: Any) -> bool:
    """Whether the file of its module defines a class or function; a session's has no file."""
    name = defined.__qualname__.rpartition(".")[2]
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    try:
        return any(isinstance(node, kinds) and node.name == name for node in ast.walk(_parsed(file)))
    except (OSError, SyntaxError, ValueError):
        return False


def _imported(tree: ast.Module, place: _Place) -> Iterator[_Place]:
    for node in ast.walk(tree):
        for name in _names(node, place):
            parts = name.split(".")
            # With `a.b.c` also `a` and `a.b` are run.
            for end in range(1, len(parts) + 1):
                if (found := place.other(".".join(parts[:end]))) is not None:
                    yield found


def _names(node: ast.AST, place: _Place) -> Iterator[str]:
    """The names that an import may mean."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = place.name.split(".")
        package = package if place.file.name == "__init__.py" else package[:-1]
        above = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        yield from filter(None, (base, *(f"{base}.{alias.name}".lstrip(".") for alias in node.names)))


def _live(thing: Any, seen: set[int]) -> Iterator[Any]:
    """The code of a class or function without a file, with the names of its module that it uses."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, type):
        for name, value in sorted(vars(thing).items()):
            if callable(function := getattr(value, "__func__", getattr(value, "fget", value))):
                yield name
                yield from _live(function, seen)
    elif isinstance(thing, FunctionType):
        yield from _code(thing.__code__)
        for name in sorted(_globals(thing.__code__)):
            used: Any = thing.__globals__.get(name)
            if isinstance(used, type | FunctionType) or hasattr(used, "__wrapped__"):
                if getattr(used, "__module__", None) == thing.__module__:
                    yield from _live(inspect.unwrap(used), seen)
            elif name in thing.__globals__ and not isinstance(used, ModuleType):
                yield [name, canonical(used, _served)]
                if type(used).__module__ == thing.__module__:
                    yield from _live(type(used), seen)


def _code(code: CodeType) -> Iterator[Any]:
    yield code.co_code.hex()
    yield list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield sorted(map(repr, constant)) if isinstance(constant, frozenset) else repr(constant)


def _globals(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_globals, inner))
