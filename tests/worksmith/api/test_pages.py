"""The pages of the Python API say what the code says."""

from __future__ import annotations

import inspect
import re

import worksmith as ws
from docs.api_pages import NAMES, TARGET, pages
from tests.tables import each_row


def test_the_pages_are_current() -> None:
    found = {file.name: file.read_text(encoding="utf-8") for file in TARGET.glob("*.md")}
    assert found == pages(), "run `make docs`"


@each_row("name", NAMES)
def test_a_page_names_every_argument_and_explains_it(name: str) -> None:
    text = (TARGET / f"{name}.md").read_text(encoding="utf-8")
    found = getattr(ws, name)
    if inspect.isfunction(found):
        arguments = inspect.signature(found).parameters
        explained = re.findall(r"^- ((?:`\w+`(?:, )?)+):", text, re.M)
        assert arguments.keys() <= set(re.findall(r"\w+", " ".join(explained)))
        for section in ("Args", "Returns", "Raises"):
            assert f"**{section}**" in text
    assert "**Example**" in text
