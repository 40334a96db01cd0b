"""What processes of commands have in common; it is loaded once, before they are forked."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

import diskcache  # noqa: F401
import scipy.stats  # noqa: F401
import torch  # noqa: F401
from mlflow.utils.requirements_utils import _init_modules_to_packages_map

import worksmith.models.resolve  # noqa: F401
from worksmith import cli, evals, jobs, optimizers, programs, retrievers, tools

for package in (tools, retrievers, evals, optimizers, programs, jobs, cli):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)

# MLflow reads the lists of all packages' files before it keeps the first model of a process.
_init_modules_to_packages_map()

# A collection of garbage would copy what the processes share.
gc.freeze()
