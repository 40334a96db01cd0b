"""What `python -m benchmarks` lists can be run."""

from __future__ import annotations

import importlib

from benchmarks.__main__ import names


def test_every_benchmark_runs_and_says_what_it_measures() -> None:
    for name in names():
        module = importlib.import_module(f"benchmarks.{name}")
        assert callable(module.run), name
        assert module.DESCRIPTION, name
