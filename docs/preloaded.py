"""What processes of commands have in common; it is loaded once, before they are forked."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

from worksmith import cli, evals, jobs, optimizers, programs, retrievers, tools

LIBRARIES = (
    *("alembic.command", "chromadb.api.rust", "diskcache", "fpdf", "h2.connection"),
    *("litellm.llms.openai.openai", "litellm.main", "mlflow.genai.judges", "openai.resources.chat"),
    *("mlflow.pyfunc.model", "mlflow.store.tracking.sqlalchemy_workspace_store"),
    *("pypdf", "scipy.stats", "tokenizers", "torch"),
)
MODELS = ("resolve", "transformer.transformer_engine", "transformer.smollm2")

# Collections of garbage would take a fifth of the time, and later copy what the processes share.
gc.disable()
for package in (tools, retrievers, evals, optimizers, programs, jobs, cli):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
for name in (*LIBRARIES, *(f"worksmith.models.{name}" for name in MODELS), "docs.replies"):
    import_module(name)

# MLflow reads the lists of all packages' files before it keeps the first model of a process.
import_module("mlflow.utils.requirements_utils")._init_modules_to_packages_map()
gc.freeze()
gc.enable()
