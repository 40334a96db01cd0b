"""A suite's tasks, programs and scorers for `mlflow.genai.evaluate`.

import mlflow
from worksmith.exports.mlflow import data, predict_fn, scorers

suite = ws.Suite.open("helpdesk")
mlflow.genai.evaluate(
    data=data(suite), predict_fn=predict_fn("program.json", suite), scorers=scorers(suite)
)
"""

from worksmith.exports.mlflow.evaluation import data, predict_fn, scorers

__all__ = ["data", "predict_fn", "scorers"]
