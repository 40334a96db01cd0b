"""The policy documents."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from tests.tools.kinds.enterprise.generate.worlds import records, small
from worksmith.retrievers.texts.pdf import pages
from worksmith.tools.generating.pdf import Paragraph, render_pdf
from worksmith.tools.kinds.enterprise.generate.policies import policies

DIGEST = """
import hashlib
from worksmith.tools.kinds.enterprise.generate.policies import policies
print(hashlib.sha256(b"".join(policy.pdf for policy in policies())).hexdigest())
"""


def test_there_are_24_documents_of_some_pages() -> None:
    assert len(policies()) == 24
    assert len({policy.id for policy in policies()}) == 24
    assert all(2 <= len(policy.pages) <= 8 for policy in policies())
    assert set(small().documents) == {policy.path for policy in policies()}


@pytest.mark.slow
def test_the_same_bytes_in_every_process() -> None:
    said = subprocess.run([sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True).stdout
    ours = hashlib.sha256(b"".join(policy.pdf for policy in policies())).hexdigest()
    assert said.strip() == ours


def test_rows_hold_what_the_pdf_shows() -> None:
    rows = records(small(), "policies")
    for path in ("policies/leave.pdf", "policies/password.pdf"):
        shown = [row["text"] for row in rows if row["path"] == path]
        assert shown == pages(small().documents[path])


def test_clauses_have_one_id_and_one_subject() -> None:
    facts = [latent.facts for latent in small().latents_of("policies")]
    assert len(facts) > 150
    assert len({one["clause"] for one in facts}) == len(facts)
    assert len({one["subject"] for one in facts}) == len(facts)
    by_id = {one["clause"]: one for one in facts}
    assert by_id["LV-1"]["value"] == "12"
    assert by_id["PW-2"] == {
        "policy": "password",
        "clause": "PW-2",
        "subject": "privileged password length",
        "operator": "at least",
        "value": "16",
        "unit": "characters",
        "exceptions": "",
    }


def test_long_texts_run_over_pages_and_headings_stay_with_their_text() -> None:
    from datetime import date

    paragraphs = [
        part
        for number in range(40)
        for part in (Paragraph(f"Heading {number}", "heading"), Paragraph(f"Body {number}. " + "word " * 60))
    ]
    found = pages(render_pdf("Title", "Author", date(2020, 1, 2), paragraphs))
    assert len(found) > 3
    for page in found:
        lines = [line for line in page.splitlines() if line]
        assert not lines[-2].startswith("Heading")
        assert lines[-1].startswith("Title - page")
    assert all(f"Body {number}." in "\n".join(found) for number in range(40))
