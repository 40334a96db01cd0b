"""What changes in repositories and their issues."""

from __future__ import annotations

import pytest

from tests.tools.kinds.enterprise.calls import TODAY, call, change, refusal
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import GITA, HARI
from worksmith.tools.kinds.enterprise.writing import content_hash


def test_a_file_is_owned_sized_and_hashed(as_: Open) -> None:
    code = "print('grüße')\n"

    _, _, file = change(as_, GITA, "github.create", repo_name="pay/parser", path="/src/greet.py", code=code)

    assert file["file_id"] == "pay/parser:src/greet.py"
    assert (file["emp_id"], file["language"], file["license"]) == (GITA, "Python", "mit")
    assert (file["size"], file["hash"], file["code"]) == ("17", content_hash(code), code)
    assert file["creation_date"] == TODAY


def test_a_new_file_takes_no_licence_from_a_file_that_its_owner_may_not_read(as_: Open) -> None:
    director, episode = as_("emp_0004"), as_(HARI)
    call(director, "github.update", repo_name="pay/parser", path="src/parse.py", license="secret-1.0")
    episode.changeset = director.changeset
    assert episode.call("github.read", {"file_id": "pay/parser:src/parse.py"}).status == "denied"

    call(episode, "github.create", repo_name="pay/parser", path="src/greet.py", code="pass\n")

    assert "secret" not in episode.call("github.read", {"repo_name": "pay/parser"}).text


def test_new_code_gives_a_new_hash(as_: Open) -> None:
    _, before, after = change(
        as_, GITA, "github.update", repo_name="pay/parser", path="src/parse.py", code="pass\n"
    )

    assert after.keys() == before.keys() == {"code", "size", "hash"}
    assert after["hash"] == content_hash("pass\n")


def test_a_licence_can_change_in_all_files_or_in_none(as_: Open) -> None:
    director = as_("emp_0004")
    owner_of_one = as_(GITA)

    call(director, "github.update", repo_name="pay/parser", license="Apache-2.0")
    denied = owner_of_one.call("github.update", {"repo_name": "pay/parser", "license": "gpl-3.0"})

    assert [made.after for made in director.outcome().changes] == [{"license": "apache-2.0"}] * 2
    assert denied.status == "denied"
    assert owner_of_one.outcome().empty


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"repo_name": "parser", "path": "a.py", "code": "x"}, "owner/name"),
        ({"repo_name": "pay/parser", "path": "src/parse.py", "code": "x"}, "taken"),
        ({"repo_name": "pay/parser", "path": "../a.py", "code": "x"}, "no path"),
        ({"repo_name": "pay/parser", "path": "a.py", "code": " "}, "code is missing"),
    ],
)
def test_what_no_file_can_be(as_: Open, arguments: dict[str, str], message: str) -> None:
    assert message in refusal(as_, GITA, "github.create", **arguments)


def test_an_issue_opens_and_closes(as_: Open) -> None:
    episode = as_(GITA)
    opened = call(
        episode,
        "github_issues.create",
        repo_name="pay/parser",
        path="src/parse.py",
        title="Tabs",
        description="!",
    )
    call(
        episode, "github_issues.update", issue_id=opened["issue_id"], status="Closed", patch="--- a\n+++ b\n"
    )

    (made,) = episode.outcome().changes
    assert opened == {"issue_id": "ISS-0003", "done": "created"}
    assert (made.after["emp_id"], made.after["created_at"]) == (GITA, TODAY)
    assert (made.after["status"], made.after["closed_at"]) == ("closed", TODAY)
    assert made.after["patch"] == "--- a\n+++ b\n"
    refused = episode.call("github_issues.update", {"issue_id": opened["issue_id"], "status": "closed"})
    assert "closed already" in refused.text
