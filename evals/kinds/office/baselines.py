"""A baseline for offices: calls whose every argument stands in the task's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from worksmith.evals.kinds.office.intents.wording import past_day
from worksmith.evals.kinds.office.records import METRICS
from worksmith.evals.scoring.actions import Call
from worksmith.evals.scoring.baselines import OF_STATE, Baseline

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode import Episode

_CONDITION = re.compile(r"\b(if|whether|otherwise|most|more than|less than)\b")
_CHART = re.compile(r"\b(bar|line|scatter|histogram|distribution)\b")
_DATE = re.compile(r"\b(?:\d{4}-\d{2}-\d{2}|[A-Z][a-z]+ \d{1,2})\b")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_QUOTED = re.compile(r"(?<!\w)'([^']+)'")


def keyword_only(task: Task, episode: Episode) -> tuple[str, str]:
    """Makes the calls of `calls_in_words`."""
    for tool, arguments in calls_in_words(task.query, episode.now):
        episode.call(tool, dict(arguments))
    return "", ""


def calls_in_words(query: str, now: datetime) -> list[Call]:
    """Calls whose every argument stands in the task's own words; reads no record and tests no condition.

    Knows plots of named metrics over stated days, and mails to a stated address with quoted title and text.
    """
    if _CONDITION.search(query.lower()):
        return []
    return _plots(query, now.date()) or _mail(query)


BASELINES: Mapping[str, Baseline] = {**OF_STATE, "keyword_only": Baseline.of(keyword_only)}


def _plots(query: str, today: date) -> list[Call]:
    text = query.lower()
    metrics = sorted((metric for metric in METRICS if metric in text), key=text.index)
    chart = _CHART.search(text)
    days = [day for found in _DATE.finditer(query) if (day := past_day(found[0], today))]
    if not metrics or not chart or not days:
        return []
    first = days[0]
    last = days[1] if len(days) > 1 else today - timedelta(days=1) if "since" in text else first
    return [
        (
            "analytics.create_plot",
            {
                "time_min": first.isoformat(),
                "time_max": last.isoformat(),
                "value_to_plot": METRICS[metric].value_to_plot,
                "plot_type": "histogram" if chart[1] == "distribution" else chart[1],
            },
        )
        for metric in metrics
    ]


def _mail(query: str) -> list[Call]:
    address, quoted = _ADDRESS.search(query), _QUOTED.findall(query)
    if not address or len(quoted) != 2:
        return []
    titled = query.lower().find("title")
    swapped = query.find(quoted[0]) > titled >= 0
    subject, body = (quoted[0], quoted[1]) if swapped else (quoted[1], quoted[0])
    return [("email.send_email", {"recipient": address[0], "subject": subject, "body": body})]
