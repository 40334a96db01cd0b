"""Repositories and issues: every open one is a real fault, every closed one has a patch that works."""

from __future__ import annotations

import random

import pytest

from tests.tools.kinds.enterprise.generate.patches.checking import apply_diff, passes_tests
from tests.tools.kinds.enterprise.generate.worlds import full, records, small
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.kinds.enterprise.generate.code.patches.modules import make_diff


def judged(built: Built, limit: int) -> list[tuple[str, str]]:
    """The ids of issues (a sample of `limit`) with what is wrong about them."""
    issues = {row["issue_id"]: row for row in records(built, "issues")}
    files = {row["file_id"]: row for row in records(built, "repositories")}
    latents = built.latents_of("issues")
    wrong = []
    for latent in random.Random(1).sample(latents, min(limit, len(latents))):
        row, facts = issues[latent.ref.removeprefix("issues/")], latent.facts
        stored = files[latent.refs[0].removeprefix("repositories/")]["code"]
        if row["status"] == "open":
            if stored != facts["code"] or row["patch"] or row["closed_at"]:
                wrong.append((row["issue_id"], "open, but not in the file"))
            if passes_tests(stored, facts["tests"]):
                wrong.append((row["issue_id"], "its tests pass"))
            patch = make_diff(stored, facts["fixed"], row["path"])
        else:
            patch = row["patch"]
            if facts["code"] == facts["fixed"] or not row["created_at"] <= row["closed_at"]:
                wrong.append((row["issue_id"], "closed, but nothing was wrong"))
            if apply_diff(facts["code"], patch) != facts["fixed"]:
                wrong.append((row["issue_id"], "the patch does not give the right file"))
        if not passes_tests(apply_diff(facts["code"], patch), facts["tests"]):
            wrong.append((row["issue_id"], "the patch does not pass"))
        if f"+++ b/{row['path']}" not in patch:
            wrong.append((row["issue_id"], "the patch is for another file"))
    return wrong


def test_issues_are_what_they_say() -> None:
    assert judged(small(), 10) == []


@pytest.mark.slow
def test_all_issues_of_a_small_world_and_many_of_a_full_one_are_what_they_say() -> None:
    assert judged(small(), 1000) == []
    assert judged(full(), 30) == []


def test_an_open_issue_is_the_only_fault_of_its_file() -> None:
    issues = records(small(), "issues")
    still_open = [(row["repo_name"], row["path"]) for row in issues if row["status"] == "open"]
    assert still_open
    assert len(still_open) == len(set(still_open)) < len(issues)


def test_files_are_unique_and_described() -> None:
    rows = records(small(), "repositories")
    assert len({row["file_id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["file_id"] == f"{row['repo_name']}:{row['path']}"
        assert int(row["size"]) == len(row["code"].encode())
        assert len(row["hash"]) == 32
    owners = {row["repo_name"]: set() for row in rows}  # type: dict[str, set[str]]
    for row in rows:
        owners[row["repo_name"]].add(row["emp_id"])
    assert all(len(found) == 1 for found in owners.values())


def test_the_truth_of_an_open_issue_is_in_no_column() -> None:
    shown = "\n".join(cell for row in records(small(), "issues") for cell in row.values())
    for latent in small().latents_of("issues"):
        assert latent.facts["tests"] not in shown
