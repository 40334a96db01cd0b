"""`python -m benchmarks` lists the benchmarks, `python -m benchmarks NAME [--quick] [--json]` runs one.

A benchmark is a module of one of the folders here with a `DESCRIPTION` and a function `run`, which takes
whether it has to be quick and gives figures. Of the options it takes those with a parameter of the name.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import benchmarks
from worksmith.tools.errors import InputError

_FOLDERS = ("quality", "soundness", "speed")

_OPTIONS: dict[str, dict[str, Any]] = {
    "seed": {"type": int, "help": "the seed"},
    "work": {"type": Path, "help": "folder of a study's stages, to go on in later"},
    "plan": {"action": "store_true", "help": "print a study's stages only"},
    "minutes": {"type": float, "help": "begin no stage of a study that ends later"},
    "only": {"help": "only stages of a study whose names have this text, and their needs"},
    "whole": {"action": "store_true", "help": "the whole training, on a GPU"},
    "lm": {"help": "the model"},
    "suite": {"help": "names of suites, with commas between"},
    "arms": {"help": "names of arms, with commas between"},
    "limit": {"type": int, "help": "at most this many test tasks of a suite"},
    "attack": {"action": "store_true", "help": "also test under attack"},
    "page": {"action": "store_true", "help": "write the page of what is done"},
}


def names() -> dict[str, str]:
    """The benchmarks by name, with their modules."""
    found = {"models": "benchmarks.models"}
    for folder in _FOLDERS:
        package = importlib.import_module(f"{benchmarks.__name__}.{folder}")
        found |= {m.name: f"{package.__name__}.{m.name}" for m in pkgutil.iter_modules(package.__path__)}
    return dict(sorted(found.items()))


def module(name: str) -> ModuleType:
    return importlib.import_module(names()[name])


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=names(), help="which to run; none lists them")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, within 50 seconds")
    parser.add_argument("--json", action="store_true", help="print only one JSON object")
    for name, option in _OPTIONS.items():
        parser.add_argument(f"--{name}", default=None, **option)
    options = parser.parse_args()
    if options.name is None:
        for name in names():
            print(f"{name:12} {module(name).DESCRIPTION}")
        return 0
    run = module(options.name).run
    given = {name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None}
    if unknown := given.keys() - inspect.signature(run).parameters.keys():
        parser.error(f"{options.name} takes no --{min(unknown)}")
    started = time.perf_counter()
    try:
        figures = run(options.quick, **given)
    except InputError as error:
        parser.error(str(error))
    figures["seconds"] = round(time.perf_counter() - started, 1)
    if not options.json:
        print(f"{options.name}:", file=sys.stderr)
    print(json.dumps(figures, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
