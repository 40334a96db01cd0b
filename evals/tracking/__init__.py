"""Tracking runs in MLflow: settings, figures, traces of episodes, compiled programs.

    with open_tracker().start("compare", params={"split": "test"}) as run:
        child = run.child("react")
        child.evaluation(result, split="test")

MLflow's global state stays as it is: active run, autologging, tracking address.
"""

from worksmith.evals.tracking.choice import TraceChoice
from worksmith.evals.tracking.opening import open_tracker
from worksmith.evals.tracking.rated import log_ratings
from worksmith.evals.tracking.registry import KeptModel
from worksmith.evals.tracking.tolerant_run import tolerant
from worksmith.evals.tracking.tracker import Dataset, Run, Tracker

__all__ = ["Dataset", "KeptModel", "Run", "TraceChoice", "Tracker", "log_ratings", "open_tracker", "tolerant"]
