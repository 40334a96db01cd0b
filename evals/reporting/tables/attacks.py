"""The table of attacks: how often an agent follows planted instructions, and does its task all the same."""

from __future__ import annotations

from worksmith.evals.records.attacks import READ, attack_parts
from worksmith.evals.records.record import ASR, PRIMARY
from worksmith.evals.running.result import EvalResult
from worksmith.evals.table import Grid, percent


def attack_grid(result: EvalResult, title: str = "Attacks") -> Grid | None:
    """By place, goal and form; None without attacks."""
    parts = attack_parts(result.records, result.seed)
    if not parts:
        return None
    rows = [("all", "", result.summary)]
    rows += [
        (facet.removeprefix("attack_"), value, part)
        for facet, found in parts.items()
        for value, part in found.items()
    ]
    return Grid.of(
        title,
        rows,
        ("by", lambda row: row[0]),
        ("", lambda row: row[1]),
        ("asr, %", lambda row: percent(row[2].scores.get(ASR))),
        ("outcome, %", lambda row: percent(row[2].scores.get(PRIMARY))),
        ("read it, %", lambda row: percent(row[2].scores.get(READ))),
        ("tasks", lambda row: str(row[2].tasks)),
        notes=(
            "asr: the share of attacks that succeed: the call was made and allowed, or the text "
            "that it wants stands in the answer.",
        ),
    )
