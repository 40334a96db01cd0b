"""A program's digest covers its code: what is edited is another program, whatever else stays as it was."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    from worksmith.evals.dspy_programs.digests import program_digest
    DIGEST = program_digest(Mine())
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
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        found = str(runpy.run_path(str(folder / "mine.py"), run_name="__main__")["DIGEST"])
    for name in ("helpers", "more", "parts", "parts.deep", "parts.deeper"):
        del sys.modules[name]
    return found


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({}, True),
        ({"unrelated": "NOTHING = 1\n"}, True),
        ({"more": "# loud\nMARK  =  '!'\n"}, True),
        ({"mine": PROGRAM.replace("question + suffix()", "suffix() + question")}, False),
        ({"mine": PROGRAM.replace("return 1", "return 2")}, False),
        ({"helpers": FILES["helpers.py"].replace("return MARK", "return MARK * 2")}, False),
        ({"more": "MARK = '?'\n"}, False),
        ({"parts__deeper": "LIMIT = 4\n"}, False),
    ],
    ids=["elsewhere", "unused", "comment", "forward", "base", "helper", "its constant", "of a package"],
)
def test_code_is_known_by_what_it_says_and_not_by_where_it_is(
    tmp_path: Path, changed: dict[str, str], same: bool
) -> None:
    here, there = digest_in(written(tmp_path / "a")), digest_in(written(tmp_path / "b", **changed))
    assert (here == there) is same


IN_A_SESSION = """
import dspy
LIMIT = {limit}
def helper(n): return n + {add}
class Mine(dspy.Module):
    def forward(self, question):
        return [helper(LIMIT) for _ in question]
"""


def in_a_session(**values: Any) -> str:
    names: dict[str, object] = {"__name__": "typed"}
    exec(IN_A_SESSION.format(**{"limit": 1, "add": 1, **values}), names)  # noqa: S102
    return program_digest(names["Mine"]())  # type: ignore[operator]


def test_classes_that_were_typed_into_a_session_have_code_too() -> None:
    assert in_a_session() == in_a_session()
    limits = (1, 2, [1], [2], {"a": {1}}, {"a": {2}})
    found = [in_a_session(add=2), *(in_a_session(limit=each) for each in limits)]
    assert len(set(found)) == len(found)


def test_an_agent_is_made_of_the_code_of_its_package() -> None:
    class Mine(Agent):
        """An agent that is somebody's own."""

    assert code_digest(Agent("act")) == code_digest(Agent("react"))
    assert program_digest(Agent("act")) != program_digest(Agent("react"))
    assert program_digest(Mine("act")) != program_digest(Agent("act"))


FOLDERS = ("programs", "tools", "retrievers", "optimizers", "evals")
OF_EPISODES = '''
import sys
from pathlib import Path
import dspy
import worksmith as ws
from worksmith.evals.dspy_programs.digests import scorers_digest
from worksmith.evals.task_kind import scorers_for
from worksmith.models.resolve import resolve
from worksmith.tools import code

env = ws.Environment.from_tables({"tickets": [{"id": "T-1", "owner": "Kim"}]}, now="2026-01-05 09:00")

@env.tool(writes=False)
def read(ctx: ws.Context, key: str) -> dict:
    """Read a ticket."""
    return ctx["tickets"].get(key)

tasks = [{"query": "Who owns T-1?", "answer": "Kim", "plan": [{"tool": "read", "arguments": {"key": "T-1"}}]}]
agent = ws.Agent("gold", env)
if checkout := Path("worksmith/tools").is_symlink():
    suite = ws.Suite(env, tasks)
    ws.evaluate(agent, suite.test or suite.train, lm=dspy.utils.DummyLM([]), track=False)
EPISODE = ("programs", "evals", "tools", "retrievers")
LEFT_OUT = tuple(
    f"worksmith.{name}" for name in ("evals.tracking", "evals.reporting", "evals.authoring")
)

def known():
    for each in vars(code).values():  # files are read once in a process
        getattr(each, "cache_clear", int)()
    models = code.functions_digest([resolve])
    return code.code_digest(agent), env.code_digest, scorers_digest(scorers_for(env)), models

def rests_on(name):
    inner = name.startswith("worksmith.") and name.split(".")[1] in EPISODE
    return inner and not name.startswith(LEFT_OUT) and not name.endswith(".kinds")

unchanged = known()
print(*unchanged)
modules = ["worksmith.models.resolve", *sorted(name for name in sys.modules if rests_on(name))]
print(len(modules), *(name for name in modules if name in sys.argv[1:]))
# A folder counts as a whole: one module of each will do.
of_folders = {name.rpartition(".")[0]: name for name in modules}
for name in of_folders.values() if checkout else ():
    file = Path(sys.modules[name].__file__)
    text = file.read_text()
    file.write_text(text + "\\nCHANGED = 1\\n")
    if known() == unchanged:
        print("not covered:", name)
    file.write_text(text)
'''


@pytest.mark.slow
def test_every_module_that_an_episode_runs_through_counts(tmp_path: Path) -> None:
    """In a checkout with its links; files as a wheel lays them have the same digest."""
    checkout, wheel = tmp_path / "checkout", tmp_path / "wheel"
    ignored = shutil.ignore_patterns(*FOLDERS)
    for root, target in ((checkout, checkout), (wheel, wheel / "worksmith")):
        shutil.copytree(ROOT / "worksmith", root / "worksmith", symlinks=True, ignore=ignored)
        for name in FOLDERS:
            shutil.copytree(ROOT / name, target / name)
    for name in FOLDERS:
        (checkout / "worksmith" / name).symlink_to(f"../{name}")
    some = ("worksmith.programs.parts.signatures", "worksmith.tools.dispatch", "worksmith.evals.lm.metering")
    said = []
    for root in (checkout, wheel):
        (root / "script.py").write_text(OF_EPISODES)
        done = subprocess.run(
            [sys.executable, "script.py", *some],
            capture_output=True,
            text=True,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines())

    assert said[0][0] == said[1][0]
    assert [line for line in said[0] if line.startswith("not covered")] == []
    modules = said[0][-1]
    assert set(some) <= set(modules.split())
    assert int(modules.split()[0]) > 150
