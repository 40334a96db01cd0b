"""How rich the texts of generated worlds are, beside the original's.

By source: records, mean words, vocabulary, the share of sentences that stand ten times or more in the source,
the share of texts with a near duplicate (four fifths of the four-word pieces are the same, numbers and names
aside). `texts.toml` has the sources and goals. The original is measured by the same code where its files are
in `../shared/data/enterprisebench`. Shares compare between sources with about as many records.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks._text_measures import commonest, functions, measure

DESCRIPTION = "words, vocabulary, repeated sentences and near duplicates of each text source, and the goals"

ORIGINAL = Path(__file__).parents[1].parent / "shared" / "data" / "enterprisebench"
QUICK_SCALE = 0.02
_SHOWN = 5

Rows = list[Mapping[str, str | None]]
Source = Mapping[str, Any]


def run(quick: bool, seed: int = 7, scale: float | None = None) -> dict[str, Any]:
    """Generate the worlds, measure every source, and compare.

    Args:
        quick: a small world, and not the original.
        seed: of all worlds.
        scale: 1 is the published size.

    Returns:
        By world and source the figures of `measure`, with `often`, the sentences that stand most often;
        `original` has the original's figures or is None; `goals` says which goals hold.
    """
    scale = scale or (QUICK_SCALE if quick else 1.0)
    listed: dict[str, dict[str, Source]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    found: dict[str, Any] = {"seed": seed, "scale": scale}
    original = not quick and ORIGINAL.is_dir()
    for world, sources in listed.items():
        rows = _WORLDS[world](seed, scale)
        theirs = _imported() if original and world == "enterprise" else {}
        found[world] = {
            name: _compared(
                source, rows[source.get("table", name)], theirs.get(source.get("table", name), [])
            )
            for name, source in sources.items()
        }
    missed = [
        f"{world}.{name}.{goal}"
        for world in listed
        for name, figures in found[world].items()
        for goal, held in figures["goals"].items()
        if held is False
    ]
    return {**found, "missed": missed}


def _compared(source: Source, rows: Rows, theirs: Rows) -> dict[str, Any]:
    figures = _figures(source, rows)
    measured = _figures(source, theirs) if _texts(source, theirs) else None
    known = measured or source.get("published", {})
    texts, kind = _texts(source, rows), _kind(source)
    return {
        **figures,
        "original": known or None,
        "goals": {name: _holds(name, goal, figures, known) for name, goal in source.get("goal", {}).items()},
        "often": commonest(texts, _SHOWN, **kind),
    }


def _figures(source: Source, rows: Rows) -> dict[str, Any]:
    figures = measure(_texts(source, rows), **_kind(source))
    if source.get("lines"):
        files = [(str(row["language"]), str(row["code"])) for row in rows]
        figures |= {"files": dict(Counter(language for language, _ in files)), "functions": functions(files)}
    return figures


def _holds(name: str, goal: float, figures: Mapping[str, Any], original: Mapping[str, Any]) -> bool | None:
    """Whether a goal holds; None where the original's figure is not known."""
    if name == "vocabulary":
        return figures[name] >= goal * original[name] if original else None
    if name == "functions":
        return bool(sum(figures[name].values()) >= goal)
    return bool(figures[name] <= goal if name == "repeated" else figures[name] >= goal)


def _kind(source: Source) -> dict[str, bool]:
    return {name: bool(source.get(name)) for name in ("said", "lines", "letters")}


def _texts(source: Source, rows: Rows) -> list[str]:
    where = source.get("where", {}).items()
    chosen = (row for row in rows if all(row[column] == value for column, value in where))
    texts = ("\n".join(filter(None, (row.get(column) for column in source["columns"]))) for row in chosen)
    return [text for text in texts if text.strip()]


@cache
def _imported() -> dict[str, Rows]:
    from worksmith.tools.kinds.enterprise.importing.reader import read_enterprise

    return {name: list(rows) for name, rows in read_enterprise(ORIGINAL).rows.items()}


def _enterprise(seed: int, scale: float) -> dict[str, Rows]:
    from worksmith.tools.kinds.enterprise.generate import build
    from worksmith.tools.kinds.enterprise.schema import KEYS

    built = build(seed, scale)
    return {name: list(built.records(name)) for name in KEYS}


def _crm(seed: int, scale: float) -> dict[str, Rows]:
    from worksmith.tools.kinds.crm.generate import build

    built = build(seed, scale)
    return {name: list(built.records(name)) for name in built.rows}


def _office(seed: int, scale: float) -> dict[str, Rows]:
    from worksmith.tools.kinds.office.generate import build
    from worksmith.tools.kinds.office.schema import TABLES

    built = build(seed, max(scale, 0.05))
    return {t.name: [dict(zip(t.columns, row, strict=True)) for row in built.get(t.name, [])] for t in TABLES}


_WORLDS: dict[str, Callable[[int, float], dict[str, Rows]]] = {
    "enterprise": _enterprise,
    "crm": _crm,
    "office": _office,
}
