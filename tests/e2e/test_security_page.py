"""Every claim of SECURITY.md has a test, and the test is there."""

from __future__ import annotations

import ast
import re

from docs.snippets import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)))


def test_a_test_that_is_named_is_there() -> None:
    for file, test in NAMED:
        parsed = ast.parse((ROOT / file).read_text(encoding="utf-8"))

        names = {node.name for node in parsed.body if isinstance(node, ast.FunctionDef)}
        assert not test or test in names, (file, test)


def test_every_claim_names_one() -> None:
    """A claim is an item of a list below a heading; what is not enforced stands in a paragraph of its own."""
    claims = [claim for claim in re.split(r"\n(?=- |\n|#)", PAGE) if claim.startswith("- ")]

    assert len(claims) > 15
    assert [claim for claim in claims if "tests/" not in claim] == []
