"""What many processes of a test load once: `multiprocessing` imports it before it forks them."""

import mlflow.genai.judges  # noqa: F401

import worksmith.jobs.evaluation
import worksmith.jobs.parts.programs  # noqa: F401
