"""Patterns that a model wrote: as long as they may take, and no longer."""

from __future__ import annotations

from time import sleep

import pytest

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.office.matching import SECONDS, containing


@pytest.mark.slow
def test_a_pattern_that_would_go_on_and_on_is_refused() -> None:
    with pytest.raises(ToolError, match="takes too long"):
        containing(r"(a|aa)+$")("a" * 60 + "b")


def test_what_is_found_does_not_depend_on_a_machine_that_is_busy() -> None:
    found = containing("2023-|2024-0")
    sleep(SECONDS + 0.1)

    assert found("2024-01-05")
    assert not found("2024-11-05")
