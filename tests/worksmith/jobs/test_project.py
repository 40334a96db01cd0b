"""Projects of a user's own: made, opened, and what is said of mistakes in their files."""

from __future__ import annotations

import shlex
import sqlite3
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.worksmith.commands import shown
from worksmith.evals.running.engines.shipping import opened, shipped
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.access import access_rights, open_environment
from worksmith.jobs.indexing import index
from worksmith.jobs.project import new_project
from worksmith.jobs.settings.suites import IndexSettings, NewSettings, TaskCheckSettings
from worksmith.jobs.tasks.task_check import check_tasks
from worksmith.programs.agent import Agent
from worksmith.tools.errors import InputError, Notice


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return new_project(NewSettings(folder="desk")).folder


def test_a_new_project_opens_from_anywhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite.open(project)

    assert suite.path.name == "desk"
    assert suite.counts() == {"dev": 9, "test": 13, "train": 18}
    assert suite.env.persona("bela").department == "IT"
    monkeypatch.chdir(project)
    assert Suite.open(".").digest == suite.digest


def test_the_work_on_a_project_can_be_sent_to_another_process(project: Path) -> None:
    env = Suite.open(project).env
    settings = EvalSettings(env=env, lm=dspy.LM("openai/any"), scorers=scorers_for(env))

    def unasked(*_: Any) -> Any:
        raise AssertionError("no model is asked")

    work, _ = opened(shipped(RolloutJob(Agent("act", env), settings).work).payload, unasked)
    assert work.env.digest == env.digest
    assert [type(each) for each in work.scorers] == [type(each) for each in scorers_for(env)]


def test_rights_can_be_asked_for_before_there_are_tasks(project: Path) -> None:
    (project / "tasks.jsonl").unlink()
    rights = access_rights(open_environment(project), "bela", source="tickets")
    assert "own-department" in str(rights)


def test_a_project_says_how_it_is_indexed(project: Path) -> None:
    with pytest.raises(InputError, match=r"desk: a project's environment indexes .*env.index"):
        index(IndexSettings(suite=project))


def test_what_a_new_project_prints_can_be_pasted(here: Path) -> None:
    said = str(new_project(NewSettings(folder="über uns")))
    assert shlex.split(said.splitlines()[1]) == ["cd", "über uns"]


def test_a_folder_that_is_there_is_not_written_to(project: Path) -> None:
    with pytest.raises(InputError, match="already there"):
        new_project(NewSettings(folder="desk"))


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("environment.py", "env = 3\n", "there is no environment 'env'"),
        ("environment.py", "import nothing_of_the_kind\n", "environment.py:1: .*nothing_of_the_kind"),
        ("environment.py", "x = 1\nx = = 2\n", "environment.py:2: .*SyntaxError"),
        ("environment.py", "x = 1\n1 / 0\n", "environment.py:2: .*ZeroDivisionError"),
        ("environment.py", "import sys\nsys.exit(3)\n", "environment.py.*ends"),
        ("worksmith.toml", "[environment]\nfile = 'none.py'\n", "none.py: no such Python file"),
        ("worksmith.toml", "[environment]\nfiles = 'environment.py'\n", "files"),
        ("worksmith.toml", "[environment]\ntasks = 'none.jsonl'\n", "there are no tasks"),
        ("tasks.jsonl", "{}\n", "tasks.jsonl:1"),
        ("policy.json", "{}\n", "policy.json"),
    ],
)
def test_a_mistake_is_told_with_its_place(project: Path, file: str, text: str, said: str) -> None:
    (project / file).write_text(text)
    with pytest.raises(InputError, match=said):
        Suite.open(project).env.check()


def drafted(table: str, text: str) -> Path:
    """The project `lib` over one file of data, in the working directory."""
    Path("data").mkdir()
    Path("data", table).write_text(text, encoding="utf-8")
    return new_project(NewSettings(folder="lib", source="data")).folder


def test_a_project_over_own_data_opens_with_tasks_that_hold(here: Path) -> None:
    rows = "".join(f"{n},Book {n},{n * 3},{n % 2 == 0}\n" for n in range(1, 9))
    drafted("my books.csv", "book_id,title,pages,from\n" + rows)
    suite = Suite.open("lib")

    assert list(suite.env.episode().toolset) == ["my_books.find_my_books", "my_books.update_my_book"]
    found = suite.env.episode().call("my_books.find_my_books", {"pages": 9})
    assert found.value == [{"book_id": 3, "title": "Book 3", "pages": 9, "from": False}]
    assert len(suite.tasks) >= 10
    assert check_tasks(TaskCheckSettings(suite="lib")).to_json()["wrong"] == 0


def test_a_project_over_data_of_another_script_searches_all_its_texts(here: Path) -> None:
    rows = "".join(f"{n},退款{n},{n * 3}\n" for n in range(1, 9))
    project = drafted("ग्राहक.csv", "编号,正文,页\n" + rows)

    assert 'env.index("ग्राहक", text="{正文}")' in (project / "environment.py").read_text("utf-8")
    assert check_tasks(TaskCheckSettings(suite="lib")).to_json()["wrong"] == 0


def test_a_project_over_an_export_of_a_database(here: Path) -> None:
    data = here / "data"
    data.mkdir()
    (data / "order_details.csv").write_text(
        "order,product,price\n"
        + "".join(f"{n // 3},{n % 3},{'NULL' if n == 4 else n % 2}\n" for n in range(12))
    )
    with sqlite3.connect(data / "shop.db") as shop:
        shop.execute("CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT)")
        shop.executemany("INSERT INTO categories VALUES (?, ?)", [(n, f"Kind {n}") for n in range(9)])
        shop.execute("CREATE TABLE addresses (id INTEGER PRIMARY KEY, town TEXT)")
        shop.execute("INSERT INTO addresses VALUES (1, 'Bern')")
        shop.execute("CREATE TABLE stock (shelf TEXT, product INT, n INT, PRIMARY KEY (product, shelf))")
        shop.executemany("INSERT INTO stock VALUES (?, ?, 1)", [("a", 1), ("a", 2), ("b", 1)])
    (data / "tasks.jsonl").write_text('{"query": "Where is 1?", "answer": "Bern"}\n')

    with pytest.raises(InputError, match="`--key order_details=A,B`"):
        new_project(NewSettings(folder="shop", source="data"))
    with pytest.warns(Notice, match=r"tasks\.jsonl is left out: it has tasks with what is right"):
        new_project(NewSettings(folder="shop", source="data", key=("order_details=order,product",)))
    suite = Suite.open("shop")
    assert [name for name in suite.env.episode().toolset if ".update" in name] == [
        "order_details.update_order_detail",
        "addresses.update_address",
        "categories.update_category",
        "stock.update_stock",
    ]
    assert suite.env.episode().call("stock.find_stock", {"product_shelf": "1-b"}).value[0]["shelf"] == "b"
    assert {table.name: table.types for table in suite.env.kind.tables}["order_details"]["price"] == "integer"
    found = suite.env.episode().call("order_details.find_order_details", {"order_product": "1-1"})
    assert found.value == [{"order_product": "1-1", "order": 1, "product": 1, "price": None}]
    assert check_tasks(TaskCheckSettings(suite="shop")).to_json()["wrong"] == 0


@pytest.mark.parametrize("name", ["none", "empty", "bad"])
def test_data_that_gives_no_project_leaves_nothing(name: str, here: Path) -> None:
    (here / "empty").mkdir()
    (here / "bad").mkdir()
    (here / "bad" / "a.csv").write_bytes(b"a,b\n1,\x00\xff\n")
    with pytest.raises(InputError, match=name if name != "bad" else "a.csv"):
        new_project(NewSettings(folder="lib", source=name))
    assert not (here / "lib").exists()


@pytest.mark.parametrize(("name", "made"), [("garden", "catalogue.toml"), ("furniture", "furniture.toml")])
def test_an_industry_to_begin_with_is_one(name: str, made: str, here: Path) -> None:
    written = new_project(NewSettings(folder="my own", industry=name))
    assert made in written.files
    [command] = map(shlex.split, written.commands)
    shown(*command[1:])
    assert [file.name for file in here.iterdir()] == ["my own"]


def test_an_industry_that_there_is_not_is_refused(here: Path) -> None:
    with pytest.raises(InputError, match="here are furniture, garden, retail, shoes"):
        new_project(NewSettings(folder="mine", industry="ships"))
    with pytest.raises(InputError, match="leave out --from"):
        new_project(NewSettings(folder="mine", industry="garden", source="."))
    assert list(here.iterdir()) == []
