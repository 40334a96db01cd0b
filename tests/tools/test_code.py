"""A program's digest covers its code: what is edited is another program, whatever else stays as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from worksmith.evals.dspy_programs.digests import program_digest
from worksmith.programs.agent import Agent
from worksmith.tools.code import code_digest

PROGRAM = """
import dspy
from helpers import suffix
from parts.deep import LIMIT

class Base(dspy.Module):
    def extra(self):
        return 1

class Mine(Base):
    def __init__(self):
        super().__init__()
        self.step = dspy.Predict("question -> answer")

    def forward(self, question):
        return self.step(question=question + suffix())

if __name__ == "__main__":
    import sys
    sys.path.insert(0, sys.argv[1])
    from worksmith.evals.dspy_programs.digests import program_digest
    print(program_digest(Mine()))
"""
FILES = {
    "mine.py": PROGRAM,
    "helpers.py": "from more import MARK\n\ndef suffix():\n    return MARK\n",
    "more.py": "MARK = '!'\n",
    "parts/__init__.py": "",
    "parts/deep.py": "from .deeper import LIMIT\n",
    "parts/deeper.py": "LIMIT = 3\n",
    "unrelated.py": "NOTHING = 0\n",
}
ROOT = Path(__file__).parents[2]


def written(folder: Path, **changed: str) -> Path:
    for name, text in {**FILES, **{k.replace("__", "/") + ".py": v for k, v in changed.items()}}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def digest_in(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(folder / "mine.py"), str(ROOT)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> str:
    return digest_in(written(tmp_path_factory.mktemp("unchanged")))


@pytest.mark.slow  # each starts a Python that loads DSPy
def test_code_is_known_by_what_it_says_and_not_by_where_it_is(tmp_path: Path, unchanged: str) -> None:
    assert digest_in(written(tmp_path)) == unchanged


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [
        {"mine": PROGRAM.replace("question + suffix()", "suffix() + question")},
        {"mine": PROGRAM.replace("return 1", "return 2")},
        {"helpers": FILES["helpers.py"].replace("return MARK", "return MARK * 2")},
        {"more": "MARK = '?'\n"},
        {"parts__deeper": "LIMIT = 4\n"},
    ],
    ids=["forward", "base class", "helper", "constant of a helper", "constant of a package"],
)
def test_a_change_of_what_the_program_is_made_of_makes_another_one(
    tmp_path: Path, changed: dict[str, str], unchanged: str
) -> None:
    assert digest_in(written(tmp_path, **changed)) != unchanged


@pytest.mark.slow  # each starts a Python that loads DSPy
@pytest.mark.parametrize(
    "changed", [{"unrelated": "NOTHING = 1\n"}, {"more": "# loud\nMARK  =  '!'\n"}], ids=["unused", "comment"]
)
def test_what_is_not_used_or_not_run_does_not_count(
    tmp_path: Path, changed: dict[str, str], unchanged: str
) -> None:
    assert digest_in(written(tmp_path, **changed)) == unchanged


IN_A_SESSION = """
import dspy
LIMIT = {limit}
def helper(n): return n + {add}
class Mine(dspy.Module):
    def forward(self, question):
        return [helper(LIMIT) for _ in question]
"""


def in_a_session(**values: int) -> str:
    names: dict[str, object] = {"__name__": "typed"}
    exec(IN_A_SESSION.format(**{"limit": 1, "add": 1, **values}), names)  # noqa: S102
    return program_digest(names["Mine"]())  # type: ignore[operator]


def test_classes_that_were_typed_into_a_session_have_code_too() -> None:
    assert in_a_session() == in_a_session()
    assert len({in_a_session(), in_a_session(limit=2), in_a_session(add=2)}) == 3


def test_an_agent_is_made_of_the_code_of_its_package() -> None:
    class Mine(Agent):
        """An agent that is somebody's own."""

    assert code_digest(Agent("act")) == code_digest(Agent("react"))
    assert program_digest(Agent("act")) != program_digest(Agent("react"))
    assert program_digest(Mine("act")) != program_digest(Agent("act"))
