"""`python -m benchmarks` lists the benchmarks, `python -m benchmarks NAME [--quick] [--json]` runs one."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import sys
from pathlib import Path

import benchmarks
from worksmith.tools.errors import InputError

_OPTIONS = (
    "seed",
    "scale",
    "work",
    "plan",
    "minutes",
    "only",
    "whole",
    "lm",
    "suite",
    "arms",
    "limit",
    "attack",
    "page",
)
"""Options that only some benchmarks take: those with a parameter of the name."""


def names() -> list[str]:
    """The benchmarks there are: the public modules of this package."""
    return sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=names(), help="which to run; none lists them")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, within 50 seconds")
    parser.add_argument("--json", action="store_true", help="print only one JSON object")
    parser.add_argument("--seed", type=int, help="of generated worlds, where a benchmark takes one")
    parser.add_argument("--scale", type=float, help="size of generated worlds, where a benchmark takes one")
    parser.add_argument("--work", type=Path, help="folder of a study's stages, to go on in later")
    parser.add_argument("--plan", action="store_true", default=None, help="print a study's stages only")
    parser.add_argument("--minutes", type=float, help="begin no stage of a study that ends later")
    parser.add_argument("--only", help="only stages of a study whose names have this text, and their needs")
    parser.add_argument("--whole", action="store_true", default=None, help="the whole training, on a GPU")
    parser.add_argument("--lm", help="the model, where a benchmark takes one")
    parser.add_argument("--suite", help="names of suites, with commas between")
    parser.add_argument("--arms", help="names of arms, with commas between")
    parser.add_argument("--limit", type=int, help="at most so many test tasks of a suite")
    parser.add_argument("--attack", action="store_true", default=None, help="also test under attack")
    parser.add_argument("--page", action="store_true", default=None, help="write the page of what is done")
    options = parser.parse_args()
    if options.name is None:
        for name in names():
            print(f"{name:12} {importlib.import_module(f'benchmarks.{name}').DESCRIPTION}")
        return 0
    run = importlib.import_module(f"benchmarks.{options.name}").run
    given = {name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None}
    if unknown := given.keys() - inspect.signature(run).parameters.keys():
        parser.error(f"{options.name} takes no --{min(unknown)}")
    try:
        figures = run(options.quick, **given)
    except InputError as error:
        parser.error(str(error))
    if not options.json:
        print(f"{options.name}:", file=sys.stderr)
    print(json.dumps(figures, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
