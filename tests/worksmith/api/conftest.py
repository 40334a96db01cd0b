"""The help desk of `examples/own_data.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

import worksmith as ws
from examples.own_data import suite as help_desk


@pytest.fixture
def suite(here: Path) -> ws.Suite:
    return help_desk
