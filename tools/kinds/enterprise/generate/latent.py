"""The part of a generated world beside rows: the facts behind its texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.industry import Industry, packaged
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES

Row = tuple[str | None, ...]
"""The cells of one row, in the order of the table's columns."""


@dataclass(frozen=True)
class Built:
    """A generated world before it is written.

    Attributes:
        rows: for each table its rows, ready for `worksmith.tools.world.write_world`.
        latents: the truths behind the texts. Goals are made from them; no agent ever sees them.
        documents: files by their path under `documents/`.
        industry: the trade of the company.
    """

    rows: dict[str, list[Row]]
    latents: list[Latent]
    documents: dict[str, bytes] = field(default_factory=dict)
    industry: Industry = field(default_factory=packaged, repr=False)

    def records(self, source: str) -> list[dict[str, str | None]]:
        columns = next(table.columns for table in TABLES if table.name == source)
        return [dict(zip(columns, row, strict=True)) for row in self.rows.get(source, [])]

    def latents_of(self, source: str) -> list[Latent]:
        return [latent for latent in self.latents if latent.ref.startswith(f"{source}/")]

    def latent_lines(self) -> Iterable[str]:
        return (latent.to_json() + "\n" for latent in self.latents)


def reference(source: str, key: str) -> str:
    """The reference `source/key` of a record; the key is the source's first column."""
    if source not in KEYS:
        raise KeyError(source)
    return f"{source}/{key}"
