"""What `python -m benchmarks` lists can be run."""

from __future__ import annotations

from benchmarks.__main__ import module, names


def test_every_benchmark_runs_and_says_what_it_measures() -> None:
    for name in names():
        assert callable(module(name).run), name
        assert module(name).DESCRIPTION, name
