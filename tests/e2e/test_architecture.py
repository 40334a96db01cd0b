"""The page on the architecture shows the code as it is."""

from __future__ import annotations

import re

import pytest

from docs import structure


@pytest.mark.slow
def test_the_page_is_current_and_the_walks_are_short() -> None:
    page = structure.PAGE.read_text(encoding="utf-8")

    assert structure.page() == page, "run python -m docs.structure"
    calls = [int(count) for count in re.findall(r"`worksmith .+`, (\d+) calls:", page)]
    assert [count <= most for count, most in zip(calls, (60, 90), strict=True)] == [True, True]
