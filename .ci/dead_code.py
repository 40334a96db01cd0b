"""Find code that nothing uses: `python .ci/dead_code.py`. What only tests use counts as dead."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parents[1]
PACKAGES = (
    *("worksmith", "optimizers", "programs", "evals", "tools", "retrievers"),
    *("worksmith_suite", "benchmarks", "examples"),
)

TEXTS = ("*.toml", "*.html", "*.js")
"""Files whose words name code: addresses of commands, goals and plug-ins, and templates."""

DECORATED = ("@*validator*", "@*tool*", "@*.command*", "@from_settings*", "@app.*", "@api.*", "@*.callback*")
"""Functions that are registered by their decorator."""


def main() -> int:
    """Print the places of dead code; returns the exit code."""
    exceptions = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    names = " ".join(exceptions.values()).split()
    found = Vulture(ignore_names=names, ignore_decorators=DECORATED)
    found.scavenge(sorted(map(str, _files("*.py"))))
    found.used_names |= _words()
    dead = found.get_unused_code(min_confidence=60, sort_by_size=False)
    for item in dead:
        place = f"{Path(item.filename).relative_to(ROOT)}:{item.first_lineno}"
        sys.stdout.write(f"{place}: nothing uses the {item.typ} {item.name}\n")
    return bool(dead)


def _words() -> set[str]:
    """The words of data files and of the Python that pages show, and the names in addresses of code."""
    texts = [file.read_text(encoding="utf-8") for ending in TEXTS for file in _files(ending)]
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        texts += re.findall(r"```py(?:thon|con)\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    for file in _files("*.py"):
        texts += re.findall(r'"[\w.]+:(\w+)"', file.read_text(encoding="utf-8"))
    texts.append((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return set(re.findall(r"\w+", "\n".join(texts)))


def _files(ending: str) -> list[Path]:
    return [file for package in PACKAGES for file in (ROOT / package).rglob(ending)]


if __name__ == "__main__":
    sys.exit(main())
