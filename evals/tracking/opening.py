"""Opening a tracker."""

from __future__ import annotations

from worksmith.evals.tracking.choice import TraceChoice
from worksmith.evals.tracking.store import EXPERIMENT, absolute, open_store, tracking_uri
from worksmith.evals.tracking.tracker import Tracker


def open_tracker(
    uri: str | None = None,
    *,
    track: bool = True,
    experiment: str = EXPERIMENT,
    traces: TraceChoice | None = None,
) -> Tracker:
    """A tracker on the store at `uri` (see `tracking_uri`); with `track` off, one that keeps nothing.

    A missing store is made now: several processes that open a fresh SQLite store at once would damage it.

    Args:
        experiment: the name for the runs; a missing one is made.
        traces: the choice of episodes that become traces.

    Raises:
        InputError: MLflow does not know the address, or the experiment was deleted.
        TrackingError: the store cannot be opened.
    """
    if not track:
        return Tracker()
    from worksmith.evals.tracking.mlflow_tracker import MlflowTracker

    address = absolute(tracking_uri(uri))
    client, experiment_id = open_store(address, experiment)
    return MlflowTracker(client, address, experiment_id, traces=traces)
