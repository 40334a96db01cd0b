"""Keeping runs in MLflow: what was run, what it scored, which episodes to read, which program came out.

    with open_tracker().start("compare", params={"split": "test"}) as run:
        child = run.child("react")
        child.evaluation(result, split="test")

Nothing here touches MLflow's global state: no active run, no autologging, no tracking address is changed.
"""

from evals.tracking.choice import TraceChoice
from evals.tracking.opening import open_tracker
from evals.tracking.rated import log_ratings
from evals.tracking.tracker import Dataset, Run, Tracker

__all__ = ["Dataset", "Run", "TraceChoice", "Tracker", "log_ratings", "open_tracker"]
