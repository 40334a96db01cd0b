"""A report as one HTML page: no scripts, no fonts, no network."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence

from evals.entries import CallEntry
from evals.record import EpisodeRecord
from evals.statistics import Interval
from evals.tables import Grid

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}
th,td{padding:.3rem .7rem;border-bottom:1px solid #d8dee4;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
h2{font-size:1.1rem;margin-top:2rem}.note{color:#57606a;margin:.3rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dt{color:#57606a}dd{margin:0}
details{border-bottom:1px solid #d8dee4;padding:.3rem 0}summary{cursor:pointer}
pre{white-space:pre-wrap;background:#f6f8fa;padding:.5rem;margin:.3rem 0;font-size:13px}
figure{margin:1.5rem 0}svg{max-width:100%;height:auto}
"""

_LABELS, _PLOT, _ROW = 220, 560, 26


def page(
    title: str,
    facts: Mapping[str, str],
    grids: Sequence[Grid],
    bars: Sequence[tuple[str, Interval]],
    caption: str,
    failures: Sequence[EpisodeRecord],
) -> str:
    """The page; every text in it is escaped."""
    listed = "".join(f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in facts.items())
    name = html.escape(title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>{_STYLE}</style>'
        f"<h1>{name}</h1><dl>{listed}</dl>{_chart(bars, caption)}"
        f"{''.join(grid.html() for grid in grids)}{_episodes(failures)}</html>\n"
    )


def _chart(bars: Sequence[tuple[str, Interval]], caption: str) -> str:
    """Each estimate as a dot on its interval, on one axis from 0 to 100 %."""
    drawn = [(label, bar) for label, bar in bars if not math.isnan(bar.value)]
    if not drawn:
        return ""
    height = _ROW * (len(drawn) + 1)
    marks = "".join(_mark(label, bar, _ROW * row + _ROW // 2) for row, (label, bar) in enumerate(drawn))
    ticks = "".join(
        f'<line x1="{_x(t / 100)}" x2="{_x(t / 100)}" y1="0" y2="{height - _ROW}" stroke="#d8dee4"/>'
        f'<text x="{_x(t / 100)}" y="{height - 8}" text-anchor="middle">{t} %</text>'
        for t in (0, 25, 50, 75, 100)
    )
    return (
        f'<figure><svg viewBox="0 0 {_LABELS + _PLOT + 40} {height}" font-size="12" role="img" '
        f'aria-label="Estimates with 95 % intervals">{ticks}{marks}</svg>'
        f'<figcaption class="note">{html.escape(caption)}: estimates and 95 % intervals</figcaption></figure>'
    )


def _mark(label: str, bar: Interval, y: int) -> str:
    text = label if len(label) <= 32 else label[:31] + "…"
    return (
        f'<text x="{_LABELS - 10}" y="{y + 4}" text-anchor="end">{html.escape(text)}</text>'
        f'<line x1="{_x(bar.low)}" x2="{_x(bar.high)}" y1="{y}" y2="{y}" stroke="#0969da" stroke-width="3"/>'
        f'<circle cx="{_x(bar.value)}" cy="{y}" r="5" fill="#0969da"/>'
    )


def _x(share: float) -> float:
    return round(_LABELS + min(1.0, max(0.0, share)) * _PLOT, 1)


def _episodes(records: Sequence[EpisodeRecord]) -> str:
    if not records:
        return ""
    return "<h2>Episodes to read</h2>" + "".join(_episode(record) for record in records)


def _episode(record: EpisodeRecord) -> str:
    scores = ", ".join(f"{name} {value:g}" for name, value in record.scores.items())
    head = f"{record.task_id} · {record.strategy} · {record.status} · {scores or 'not graded'}"
    said = record.error or ": ".join(text for text in (record.answer_status, record.answer) if text)
    end = f"<pre>{html.escape(said)}</pre>" if said else ""
    return (
        f"<details><summary>{html.escape(head)}</summary><p>{html.escape(record.query)}</p>"
        f"{''.join(_call(call) for call in record.calls)}{end}</details>"
    )


def _call(call: CallEntry) -> str:
    lines = [f"# {call.thought}"] if call.thought else []
    lines.append(f"{call.tool}({json.dumps(call.arguments, ensure_ascii=False)})")
    if call.opinion:
        lines.append(f"access check: {call.opinion}. {call.opinion_reason}".rstrip())
    if not call.allowed:
        lines.append(f"denied by {call.rule}")
    lines.append(call.observation + ("…" if call.truncated else ""))
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>"
