"""The Dockerfile, as far as it can be checked without Docker."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
STEPS = (ROOT / "Dockerfile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_what_it_copies_is_all_that_the_wheel_is_built_of() -> None:
    copied = {name for line in re.findall(r"^COPY (?!--)(.+) \S+$", STEPS, re.M) for name in line.split()}
    packages = PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]

    assert all((ROOT / name).exists() for name in copied)
    assert {"pyproject.toml", "requirements.lock", PROJECT["project"]["readme"]} <= copied
    assert {name.partition("*")[0].rstrip(".") for name in packages} <= copied


def test_it_installs_extras_that_there_are_in_releases_that_are_locked() -> None:
    (extras,) = re.findall(r"\[([\w,-]+)\]\"", STEPS)

    assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
    assert "--constraint /wheels/requirements.lock" in STEPS
    assert re.search(r"^torch==", (ROOT / "requirements.lock").read_text(), re.M)


def test_no_one_is_root_in_it() -> None:
    assert re.findall(r"^USER (\S+)$", STEPS, re.M) == ["worksmith"]
