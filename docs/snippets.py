"""The commands and programs that the documentation shows: found, run, compared with what it says they print.

    python -m docs.snippets [FILE...]     run them and put what they print now into the files

A ```console block holds commands after `$ ` and, below each, what it prints. Shown output is compared line
by line, spaces aside; a line `...` stands for any number of lines, and `…` for any one word or number.
In a command, `*` stands for part of a file's name, as it does in a shell. `cp` takes files of the
repository, as seen from a folder in it.
A ```python block must run. A comment directly above a block says what else there is to know:

    <!-- not run: REASON -->    REASON is one of `REASONS`
    <!-- part of: FILE -->      each of its statements stands in this file of the repository, which tests run
    <!-- file: NAME -->         the block is a file that later commands of the page use
    <!-- needs: NAME -->        anywhere on the page: one of `NEEDS`, without which nothing of it is run
"""

from __future__ import annotations

import atexit
import difflib
import multiprocessing
import os
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from types import ModuleType

from filelock import FileLock

from worksmith.tools.seeding import digest

ROOT = Path(__file__).parent.parent
REASONS = (
    "a part of a program",
    "asks a person",
    "installs packages",
    "needs Docker",
    "needs a key",
    "needs a model server",
    "needs a trained model",
    "needs the network",
    "starts a server",
    "takes a minute",
)
"""Why a block may be left out."""

NEEDS = {
    "examples": ROOT / "examples",
    **{name: ROOT / "../shared/data" / name for name in ("workbench", "enterprisebench")},
}
"""What a page may need besides the installed worksmith, by the name under which it finds it."""

_FENCE = re.compile(r"^```(\w*)\s*$")
_DIRECTIVE = re.compile(r"^<!-- (not run|part of|file|needs): (.+) -->$")
_FIGURE = re.compile(r"\b[0-9a-f]{12,}\b|[\d…]+")
_FAILURE = re.compile(r"worksmith: |wrong \S+ \(|worse than ")
"""The begin of a line whose command ends with an error: the error itself, or what a check found."""

_ANYTHING = "..."
_ANY_WORD = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `first` is the number (from 0) of its first line inside the fence."""

    page: Path
    first: int
    language: str
    lines: tuple[str, ...]
    directives: dict[str, str]

    @property
    def place(self) -> str:
        """Page and line, as editors take it."""
        return f"{self.page.relative_to(ROOT)}:{self.first}"


@dataclass(frozen=True)
class Command:
    """A command of a console block and the output shown below it, from line `first` on (from 0)."""

    text: str
    first: int
    shown: tuple[str, ...]


def pages() -> list[Path]:
    """Every page of the documentation."""
    return [
        *(ROOT / name for name in ("README.md", "SECURITY.md", "examples/README.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").split("\n")
    start: int | None = None
    language = ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if start is None:
            start, language = number + 1, fence[1]
        else:
            directives = dict(_directives_above(lines, start - 2))
            found.append(Block(page, start, language, tuple(lines[start:number]), directives))
            start = None
    return found


def needs(page: Path) -> list[str]:
    """What the page needs besides worksmith."""
    found = (_DIRECTIVE.match(line) for line in page.read_text(encoding="utf-8").split("\n"))
    return [directive[2] for directive in found if directive and directive[1] == "needs"]


def is_run(block: Block) -> bool:
    """Whether anything is done with a block."""
    if not block.directives.keys().isdisjoint(("not run", "part of")):
        return False
    return block.language in ("console", "python") or "file" in block.directives


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    lines = block.lines
    number = 0
    while number < len(lines):
        if not lines[number].startswith("$ "):
            raise ValueError(f"{block.place}: a console block starts with a command")
        text = lines[number][2:]
        while text.endswith("\\"):
            number += 1
            text = text[:-1] + lines[number].strip()
        first = number = number + 1
        while number < len(lines) and not lines[number].startswith("$ "):
            number += 1
        found.append(Command(text, block.first + first, lines[first:number]))
    return found


def forks() -> ForkServerContext:
    """The server of forks of this process, which has imported what commands need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["docs.preloaded"])
    forkserver.ensure_running()
    return context


class ToolContext:
    """A folder in which a page's blocks are run, one after the other.

    Suites that a page builds are kept in the folder `kept`, for pages that build the same.
    """

    def __init__(self, folder: Path, page: Path, kept: Path) -> None:
        self.folder = folder
        self._kept = kept
        for name in needs(page):
            (folder / name).symlink_to(NEEDS[name].resolve())

    def run(self, block: Block) -> Iterator[tuple[Command, list[str]]]:
        """Run a block; gives each command with the lines it printed.

        Raises:
            RuntimeError: a command or program failed, and the page does not show that it does.
        """
        if "file" in block.directives:
            (self.folder / block.directives["file"]).write_text("\n".join(block.lines) + "\n")
        elif block.language == "python":
            self._python(["-c", "\n".join(block.lines)], block.place)
        else:
            for command in commands(block):
                yield command, self._command(command, block.place).splitlines()

    def _command(self, command: Command, place: str) -> str:
        program, *arguments = shlex.split(command.text)
        if program == "python":
            return self._python(arguments, place)
        if program == "cp":
            return self._copied(arguments)
        if program != "worksmith":
            raise ValueError(f"{place}: only worksmith, python and cp are run, not {command.text!r}")
        fails = any(map(_FAILURE.match, command.shown))
        arguments = [name for argument in arguments for name in self._matching(argument)]
        if arguments[:2] == ["suite", "build"] and arguments[-2] == "--out" and "--industry" not in arguments:
            return self._built(arguments, place)
        return self._python(["-m", "worksmith.cli", *arguments], f"{place}: {command.text}", fails=fails)

    def _built(self, arguments: Sequence[str], place: str) -> str:
        """What `suite build` prints."""
        kept, made = self._kept / digest(list(arguments)), self.folder / arguments[-1]
        said = kept / "said"
        with FileLock(f"{kept}.lock"):
            if not said.exists():
                text = self._python(["-m", "worksmith.cli", *arguments], place)
                shutil.copytree(made, kept / "suite")
                said.write_text(text)
                return text
        shutil.copytree(kept / "suite", made)
        return said.read_text()

    def _copied(self, arguments: Sequence[str]) -> str:
        *names, target = arguments
        for name in names:
            for file in glob(os.path.normpath(ROOT / "folder" / name)):
                shutil.copy(file, self.folder / target)
        return ""

    def _matching(self, argument: str) -> list[str]:
        """The files that an argument names, as a shell finds them; the argument itself if there are none."""
        found = sorted(self.folder.glob(argument)) if "*" in argument else []
        return [str(file.relative_to(self.folder)) for file in found] or [argument]

    def _python(self, arguments: Sequence[str], place: str, *, fails: bool = False) -> str:
        """What a program prints, and what worksmith's commands say on the way.

        It runs in a process of its own, forked from one that has imported what commands need.
        """
        environment = os.environ | self._environment() | {"PYTHONPATH": str(ROOT)}
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            if arguments[0] == "-m":
                err = out
            process = forks().Process(target=_main, args=(arguments, self.folder, environment, out, err))
            process.start()
            process.join()
            if bool(process.exitcode) != fails:
                raise RuntimeError(f"{place}\n{out.read_text()}{err.read_text()}")
            return out.read_text()

    def _environment(self) -> dict[str, str]:
        # MLflow keeps one connection for an address: a relative one would lead into an earlier page's folder.
        store = f"sqlite:///{self.folder.resolve()}/mlruns/mlflow.db"
        # What one page asked is not free for the next.
        replies = str(self.folder / ".replies")
        return {
            "COLUMNS": "80",
            "DSPY_CACHEDIR": replies,
            "MLFLOW_TRACKING_URI": store,
            "NO_COLOR": "1",
        }


def _main(arguments: Sequence[str], folder: Path, environment: dict[str, str], out: Path, err: Path) -> None:
    """What `python` does with these arguments."""
    for number, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    from docs.replies import answer_from_records

    answer_from_records()
    try:
        _run(arguments, folder)
    finally:
        atexit._run_exitfuncs()


def _run(arguments: Sequence[str], folder: Path) -> None:
    if arguments[0] == "-m":
        sys.path.insert(0, str(folder))
        sys.argv = [*arguments[1:]]
        runpy.run_module(arguments[1], run_name="__main__")
    elif arguments[0] == "-c":
        sys.path.insert(0, str(folder))
        sys.argv, main = ["-c", *arguments[2:]], ModuleType("__main__")
        sys.modules["__main__"] = main
        exec(compile(arguments[1], "<string>", "exec"), vars(main))  # noqa: S102 (a program of the page)
    else:
        sys.path.insert(0, str((folder / arguments[0]).parent))
        sys.argv = [*arguments]
        runpy.run_path(arguments[0], run_name="__main__")


def difference(shown: Sequence[str], real: Sequence[str]) -> str | None:
    """The first shown line that is not in the output where it should be; None if all is as shown."""
    rest = [_plain(line) for line in real if line.strip()]
    skipping = False
    for line in shown:
        if not line.strip():
            continue
        if line.strip() == _ANYTHING:
            skipping = True
            continue
        pattern = _pattern(line)
        at = next((i for i, candidate in enumerate(rest) if pattern.fullmatch(candidate)), None)
        if at is None or (at > 0 and not skipping):
            return line
        rest, skipping = rest[at + 1 :], False
    return f"(nothing more, but the output goes on: {rest[0]})" if rest and not skipping else None


def refreshed(shown: Sequence[str], real: Sequence[str]) -> list[str]:
    """The shown lines, each replaced by the line of the output that is most like it."""
    rest, lines = [line.rstrip() for line in real], []
    for line in shown:
        if not line.strip() or line.strip() == _ANYTHING:
            lines.append(line)
            continue
        at = _nearest(line, rest)
        if at is not None:
            same = _pattern(line).fullmatch(_plain(rest[at]))
            lines.append(line if same else _with_wildcards(line, rest[at]))
            rest = rest[at + 1 :]
    return lines


def _nearest(line: str, candidates: Sequence[str]) -> int | None:
    pattern = _pattern(line)
    for at, candidate in enumerate(candidates):
        if pattern.fullmatch(_plain(candidate)):
            return at
    words = [_FIGURE.sub("0", _plain(text)) for text in (line, *candidates)]
    likeness = [difflib.SequenceMatcher(None, words[0], other).ratio() for other in words[1:]]
    best = max(likeness, default=0.0)
    return likeness.index(best) if best > 0.6 else None


def _with_wildcards(line: str, real: str) -> str:
    """The real line, but with `…` wherever the page had one."""
    words, parts = line.split(), re.split(r"(\s+)", real)
    places = [i for i, part in enumerate(parts) if part.strip()]
    if len(words) != len(places):
        return real
    for word, place in zip(words, places, strict=True):
        if _ANY_WORD in word:
            parts[place] = word.rjust(len(parts[place]) if parts[place][0].isdigit() else 0)
    return "".join(parts)


def _plain(line: str) -> str:
    return " ".join(line.split())


def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(re.escape(_plain(line)).replace(_ANY_WORD, r"\S+"))


def _directives_above(lines: Sequence[str], number: int) -> Iterator[tuple[str, str]]:
    while number >= 0 and (found := _DIRECTIVE.match(lines[number])):
        yield found[1], found[2]
        number -= 1


def refresh(page: Path) -> None:
    """Run a page and put what its commands print now into it."""
    lines = page.read_text(encoding="utf-8").split("\n")
    changes: list[tuple[int, int, list[str]]] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        ctx = ToolContext(Path(folder), page, Path(kept))
        for block in filter(is_run, blocks(page)):
            for command, real in ctx.run(block):
                if command.shown and difference(command.shown, real) is not None:
                    new = refreshed(command.shown, real)
                    changes.append((command.first, command.first + len(command.shown), new))
                    if (left := difference(new, real)) is not None:
                        print(f"{block.place}: edit by hand: {left}\n" + "\n".join(real))  # noqa: T201
    for start, end, new in reversed(changes):
        lines[start:end] = new
    page.write_text("\n".join(lines), encoding="utf-8")
    print(f"{page}: {len(changes)} outputs changed")  # noqa: T201


def main(names: Iterable[str]) -> None:
    """Refresh the pages named, or all that have what they need; replies that are not recorded are added."""
    from docs.replies import FILE, RECORD

    os.environ[RECORD] = str(FILE)
    for page in [Path(name).resolve() for name in names] or pages():
        if all(NEEDS[name].exists() for name in needs(page)) and any(map(is_run, blocks(page))):
            refresh(page)


if __name__ == "__main__":
    main(sys.argv[1:])
