"""Where the original keeps what, and finding it again in any folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from worksmith.tools.importing.raw import folded
from worksmith.tools.kinds.enterprise.importing.fields import FILES

POLICIES = "Policy_Documents"
ORDERS = "Customer_Relation_Management/Customer_orders"

TASKS = ("published_tasks.json", "Task_Generation/tasks.json", "Task_Generation/tasks.jsonl")

ORDER_FILE = re.compile(r"(invoice|purchase_order|shipping_order)_(.+)", re.IGNORECASE)

_DEEPEST = 6
_EXTENSIONS = (".json", ".jsonl", ".ndjson", ".csv")


@dataclass
class Located:
    """What was found under a folder; paths by the name that a report gives them, in order.

    Attributes:
        sources: the files of each source.
        missing: canonical paths that are not there.
        ignored: files of a known name that are not where another of that name was taken from.
    """

    root: Path
    sources: dict[str, list[str]] = field(default_factory=dict)
    policies: list[str] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def path(self, name: str) -> Path:
        """The file that a report calls `name`."""
        return self.root / name

    @property
    def empty(self) -> bool:
        return not (self.sources or self.policies or self.orders)


def locate(root: Path) -> Located:
    """Find the original's files below `root`, with any case, separators and place.

    A file is known by its name, and among several of one name by the folders it lies in.
    """
    found = Located(root)
    candidates: dict[str, list[str]] = {}
    for name in _walk(root):
        path = PurePosixPath(name)
        if path.suffix.lower() == ".pdf":
            _place_document(found, path)
        elif path.suffix.lower() in _EXTENSIONS:
            candidates.setdefault(folded(path.stem), []).append(name)
    taken: set[str] = set()
    for source, paths in FILES.items():
        for canonical in paths:
            best = _best(canonical, candidates, taken)
            if best is None:
                found.missing.append(canonical)
            else:
                found.sources.setdefault(source, []).append(best)
                taken.add(best)
    for canonical in TASKS:
        found.tasks.extend(name for name in _all_called(canonical, candidates) if name not in found.tasks)
    known = {folded(PurePosixPath(path).stem) for paths in FILES.values() for path in paths}
    for stem in sorted(known & set(candidates)):
        found.ignored.extend(name for name in candidates[stem] if name not in taken)
    if not found.policies:
        found.missing.append(POLICIES)
    if not found.orders:
        found.missing.append(ORDERS)
    return found


def _walk(root: Path) -> Iterator[str]:
    """Every entry whose name ends like a file's, directories that stand in a file's place included."""
    for folder, folders, files in os.walk(root):
        inside = PurePosixPath(Path(folder).relative_to(root).as_posix())
        depth = len(inside.parts)
        odd = [name for name in folders if PurePosixPath(name).suffix.lower() in (*_EXTENSIONS, ".pdf")]
        folders[:] = sorted(n for n in folders if n not in odd and not n.startswith(".") and depth < _DEEPEST)
        for name in sorted([*files, *odd]):
            # A name that is not a text cannot stand in a report or a world.
            if not name.startswith(".") and name.isprintable():
                yield (inside / name).as_posix()


def _place_document(found: Located, path: PurePosixPath) -> None:
    folders = {folded(part) for part in path.parts[:-1]}
    if folded(PurePosixPath(ORDERS).name) in folders or ORDER_FILE.fullmatch(path.stem):
        found.orders.append(path.as_posix())
    elif folded(POLICIES) in folders:
        found.policies.append(path.as_posix())


def _all_called(canonical: str, candidates: dict[str, list[str]]) -> list[str]:
    path = PurePosixPath(canonical)
    same_stem = candidates.get(folded(path.stem), [])
    return [name for name in same_stem if PurePosixPath(name).suffix.lower() == path.suffix]


def _best(canonical: str, candidates: dict[str, list[str]], taken: set[str]) -> str | None:
    """The file most like the canonical one; where several have one name, its own folder's name is needed."""
    path = PurePosixPath(canonical)
    needs_folder = (
        sum(folded(PurePosixPath(p).stem) == folded(path.stem) for ps in FILES.values() for p in ps) > 1
    )
    wanted = [folded(part) for part in path.parts[:-1]][::-1]
    best: tuple[int, str] | None = None
    for name in candidates.get(folded(path.stem), []):
        folders = [folded(part) for part in PurePosixPath(name).parts[:-1]][::-1]
        same = sum(1 for _ in _common(wanted, folders))
        if name in taken or (needs_folder and not same):
            continue
        if best is None or same > best[0]:
            best = (same, name)
    return best[1] if best else None


def _common(left: list[str], right: list[str]) -> Iterator[str]:
    for one, other in zip(left, right, strict=False):
        if one != other:
            return
        yield one
