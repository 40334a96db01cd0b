"""Every claim of SECURITY.md has a test, and the test is there."""

from __future__ import annotations

import ast
import re

from docs.snippets import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", PAGE)
"""Files and tests in the order of the page; a test without a file is in the file before it."""


def test_a_test_that_is_named_is_there() -> None:
    before = ""
    for file, test in NAMED:
        before = file or before
        parsed = ast.parse((ROOT / before).read_text(encoding="utf-8"))

        names = {node.name for node in parsed.body if isinstance(node, ast.FunctionDef)}
        assert not test or test in names, (before, test)


def test_every_claim_names_one() -> None:
    """A claim is an item of a list below a heading; what is not enforced stands in a paragraph of its own."""
    claims = [claim for claim in re.split(r"\n(?=- |\n|#)", PAGE) if claim.startswith("- ")]

    assert len(claims) > 15
    assert [claim for claim in claims if not re.search("`(tests/|::)", claim)] == []
