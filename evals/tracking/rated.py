"""People's ratings beside the traces of their episodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from worksmith.evals.tracking.assessments import identity, rating
from worksmith.evals.tracking.reaching import boundary
from worksmith.evals.tracking.store import existing_store
from worksmith.evals.tracking.traces import TraceWriter

if TYPE_CHECKING:
    from worksmith.evals.rating.ratings import Rating
    from worksmith.evals.records.run_card import LoadedRun

_TRACKED = re.compile(r"runs:/([^/]+)/")
_MOST = 100
"""The most traces of one episode: one for each run with it."""


def log_ratings(run: LoadedRun, ratings: Sequence[Rating], *, uri: str | None = None) -> int:
    """Add ratings to the traces of their episodes as HUMAN assessments; a later one replaces an earlier one.

    Rated episodes of a run in MLflow get a trace if it is missing. The traces of a log's episodes are looked
    for in all experiments of the store.

    Returns:
        The number of ratings with a trace.

    Raises:
        TrackingError: the store failed.
    """
    address = existing_store(uri)
    if not ratings or address is None:
        return 0
    from mlflow import MlflowClient
    from mlflow.tracing.client import TracingClient

    tracked = _TRACKED.match(run.path)
    with boundary():
        client, traces = MlflowClient(tracking_uri=address), TracingClient(address)
        experiments = [each.experiment_id for each in client.search_experiments()]
        if tracked is not None:
            experiments = [client.get_run(tracked[1]).info.experiment_id]
            _write_missing(run, ratings, TraceWriter(address, experiments[0], tracked[1], model=run.card.lm))
        return sum(_attach(traces, experiments, each, tracked and tracked[1]) for each in ratings)


def _write_missing(run: LoadedRun, ratings: Sequence[Rating], writer: TraceWriter) -> None:
    rated = {each.key for each in ratings}
    writer.write_missing([record for record in run.records if record.key in rated])


def _attach(client: Any, experiments: list[str], given: Rating, run_id: str | None) -> bool:
    """Add a rating to the traces of its episode; whether there are any."""
    found = client.search_traces(
        locations=experiments,
        filter_string=f"tag.episode = '{given.key}'",
        run_id=run_id,
        include_spans=False,
        max_results=_MOST,
    )
    for trace in found:
        made = rating(given.scale, given.level, given.rater, given.note)  # logging gives it an id
        for known in trace.info.assessments:
            if identity(known) == identity(made):
                client.delete_assessment(trace.info.trace_id, known.assessment_id)
        client.log_assessment(trace.info.trace_id, made)
    return bool(found)
