"""From a question to rows: what the model is shown, one repair, and nothing that the persona may not see."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import dspy
import pytest

from programs.text_to_sql import TextToSql, schema_text
from tests.programs.office import Script, make_env, reply, texts
from tests.tools.kinds.enterprise import small_world
from tests.tools.kinds.enterprise.small_world import HR_MANAGER, LEFT, SALES_ASSOCIATE
from tools.environment import Environment
from tools.errors import InputError


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return small_world.open_small_env(tmp_path_factory.mktemp("company"))


def ask(program: TextToSql, *statements: str, **options: Any) -> tuple[dspy.Prediction, Script]:
    script = Script(*(reply(sql=statement) for statement in statements))
    with dspy.context(lm=script.lm()):
        return program(question="How many products are there?", **options), script


def test_a_question_becomes_rows(company: Environment) -> None:
    found, script = ask(TextToSql(company), "```sql\nSELECT count(*) AS n FROM products;\n```")
    shown = texts(script.requests[0])[0]

    assert found.error is None
    assert found.sql == "SELECT count(*) AS n FROM products"
    assert [int(row["n"]) for row in found.rows] == [len(small_world.small_rows()["products"])]
    assert "products(product_id, product_name," in shown
    assert "Working for:" in shown


def test_a_statement_that_fails_goes_back_once(company: Environment) -> None:
    found, script = ask(TextToSql(company), "SELECT nme FROM products", "SELECT product_name FROM products")

    assert found.rows
    assert "SELECT nme FROM products" in texts(script.requests[1])[0]
    assert "nme" in texts(script.requests[1])[0].split("SELECT nme FROM products")[1]
    assert "failure" not in texts(script.requests[0])[0]


def test_a_second_failure_is_the_result(company: Environment) -> None:
    found, script = ask(TextToSql(company), "DROP TABLE products", "DELETE FROM products")

    assert len(script.requests) == 2
    assert found.rows == []
    assert found.error


def test_it_sees_what_the_persona_may_see(company: Environment) -> None:
    question = "SELECT emp_id, salary FROM employees"
    rows = {
        who: ask(TextToSql(company), question, persona=who)[0].rows for who in (HR_MANAGER, SALES_ASSOCIATE)
    }
    salaries = {who: {row["emp_id"]: row["salary"] for row in found} for who, found in rows.items()}

    assert salaries[HR_MANAGER][SALES_ASSOCIATE]
    others = {who: pay for who, pay in salaries[SALES_ASSOCIATE].items() if who != SALES_ASSOCIATE}
    assert not any(others.values())


def test_a_statement_sees_what_its_episode_wrote_and_is_recorded_there(company: Environment) -> None:
    episode = company.episode(persona=company.persona(SALES_ASSOCIATE))
    episode.call("social_platform.create", {"title": "Hello", "body": "Hello all"})
    found, _ = ask(TextToSql(), "SELECT title FROM posts WHERE title = 'Hello'", episode=episode)

    assert [row["title"] for row in found.rows] == ["Hello"]
    assert episode.calls[-1].tool == "tables.query"


def test_tables_of_which_nothing_may_be_read_are_not_shown(company: Environment) -> None:
    everything = schema_text(company.episode(persona=company.persona(HR_MANAGER)))

    assert "employees(emp_id" in everything
    assert "NULL where private: " in everything
    assert schema_text(company.episode(persona=company.persona(LEFT))) == ""


def test_it_says_what_it_lacks(company: Environment, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to ask"):
        ask(TextToSql(), "SELECT 1")
    with pytest.raises(InputError, match="have no tool"):
        ask(TextToSql(make_env(tmp_path)), "SELECT 1")


def test_it_is_a_program_like_others(company: Environment) -> None:
    program = TextToSql(company)
    program.predict.demos = [dspy.Example(question="Old", sql="SELECT 1")]
    twin = copy.deepcopy(program)

    assert twin.env is company
    assert twin.dump_state() == program.dump_state()
    assert "SELECT 1" in texts(ask(twin, "SELECT 2 AS n")[1].requests[0])[1]
