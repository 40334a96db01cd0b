"""Every public name has an example in its docstring, and the example runs."""

from __future__ import annotations

import doctest

import pytest

import worksmith as ws

COMPILING = ("Bootstrap", "KNN", "Race", "compare", "load")
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] if name in COMPILING else [])
    for name in ws.__all__
    if name != "__version__"
]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs(name: str, suite: ws.Suite) -> None:
    text = getattr(ws, name).__doc__
    names = {"__name__": "__main__", "ws": ws, "env": suite.env, "suite": suite}
    example = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    assert example.examples
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)
