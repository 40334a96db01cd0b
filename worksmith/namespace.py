"""The guard of the import path: worksmith is six packages, five of which have everyday names."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("optimizers", "programs", "evals", "tools", "retrievers")
"""The packages beside `worksmith`."""

_ROOT = Path(__file__).resolve().parents[1]


def check_packages() -> None:
    """See that the packages beside this one are worksmith's own.

    Raises:
        ImportError: a folder or file of the same name hides one, or was imported before. The command ends
            with exit code 2 instead.
    """
    for name in PACKAGES:
        hiding = _hiding(name)
        if hiding is None:
            continue
        problem = f"{hiding} hides worksmith's own package {name!r}: rename it, or start Python elsewhere"
        if _is_command():
            print(f"error: {problem}", file=sys.stderr)  # noqa: T201
            raise SystemExit(2)
        raise ImportError(problem, name=name)


def _hiding(name: str) -> Path | None:
    """The folder or file that Python takes for a package; None if it is the package itself."""
    module = sys.modules.get(name)
    if module is None:
        spec = find_spec(name)
        places = [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin]
    else:
        places = [*getattr(module, "__path__", ()), getattr(module, "__file__", None)]
    found = next((Path(place).resolve() for place in places if place), None)
    return None if found is None or found.is_relative_to(_ROOT / name) else found


def _is_command() -> bool:
    """Whether Python was started as the command `worksmith`, or with `-m worksmith...`."""
    program = (getattr(sys, "argv", None) or [""])[0]
    started = any(each.startswith("worksmith") for each in sys.orig_argv)
    return Path(program).stem == "worksmith" or (program == "-m" and started)
