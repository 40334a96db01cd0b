from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.episodes import make_task
from tests.evals.help_desk import CRUD, DENIED, NOTHING, SEARCH
from worksmith.evals.judging.rubric import default_rubrics, kind_of, read_rubrics
from worksmith.tools.errors import InputError

ONE = """
name: tone
criterion: Is it friendly?
levels:
  1: Rude.
  2: Cold.
  3: Neutral.
  4: Kind.
  5: Warm.
"""
LISTED = ONE.strip().replace("\n", "\n    ")


def write(folder: Path, text: str) -> Path:
    file = folder / "rubric.yaml"
    file.write_text(text)
    return file


def test_each_type_of_task_has_a_rubric_of_ours() -> None:
    office, question = make_task(1), SEARCH.model_copy(update={"type": None})
    tasks = (SEARCH, CRUD, DENIED, NOTHING, office, question)
    names = [default_rubrics().for_task(task).name for task in tasks]
    assert names == ["search", "crud", "unanswerable", "search", "outcome", "question"]
    assert [kind_of(task) for task in tasks] == names


def test_a_rubric_of_the_users_applies_to_all_unless_it_says_to_what(tmp_path: Path) -> None:
    rubrics = read_rubrics(write(tmp_path, ONE))
    assert rubrics.for_task(SEARCH).name == rubrics.for_task(CRUD).name == "tone"
    assert "Level 5: Warm." in rubrics.for_task(SEARCH).text
    assert not rubrics.ours


def test_of_several_rubrics_a_task_gets_its_own(tmp_path: Path) -> None:
    other = LISTED.replace("tone", "deeds") + "\n    for: [crud]"
    rubrics = read_rubrics(write(tmp_path, f"rubrics:\n  - {LISTED}\n  - {other}\n"))
    assert rubrics.for_task(CRUD).name == "deeds"
    assert rubrics.for_task(SEARCH).name == "tone"
    named = SEARCH.model_copy(update={"origin": {"rubric": "deeds"}})
    assert rubrics.for_task(named).name == "deeds"


def test_a_task_that_no_rubric_is_for_is_said(tmp_path: Path) -> None:
    rubrics = read_rubrics(write(tmp_path, ONE + "for: [crud]\n"))
    with pytest.raises(InputError, match="no rubric is for tasks of the kind search"):
        rubrics.for_task(SEARCH)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("  3: Neutral.\n", ""), r"rubric.yaml: levels.3: field required"),
        (ONE.replace("Rude.", "''"), r"rubric.yaml: levels.1"),
        (ONE + "tone: loud\n", r"rubric.yaml: tone: extra inputs"),
        (ONE + "for: [poems]\n", r"rubric.yaml: for"),
        ("levels: [", r"rubric.yaml:\d+: not YAML"),
        ("[" * 5000, "not YAML"),
        (ONE.replace("Rude.", "2020-13-45"), "not YAML"),
        ("- just\n- a list\n", "not a rubric"),
        (ONE.replace("Rude.", "!!python/object/apply:os.system ['true']"), "not YAML"),
        (f"rubrics:\n  - {LISTED}\n  - {LISTED}\n", "two rubrics are called 'tone'"),
    ],
)
def test_what_is_wrong_with_a_rubric_is_said_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_rubrics(write(tmp_path, text))


def test_rubrics_that_differ_in_a_word_have_other_digests(tmp_path: Path) -> None:
    first = read_rubrics(write(tmp_path, ONE)).digest
    second = read_rubrics(write(tmp_path, ONE.replace("Rude.", "Ruder."))).digest
    assert len({first, second, default_rubrics().digest}) == 3
