"""The original's own files: what is known about them has to come out."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path

import apsw
import pytest

from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.kinds.enterprise.access import find_persona, packaged_policy
from worksmith.tools.kinds.enterprise.importing.fields import FILES
from worksmith.tools.kinds.enterprise.importing.people import first_active, personas
from worksmith.tools.kinds.enterprise.importing.reader import NOW, ORIGIN, Imported, read_enterprise
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.world import World, write_world

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(imported: Imported, tmp_path_factory: pytest.TempPathFactory) -> World:
    return write_world(
        tmp_path_factory.mktemp("world"),
        TABLES,
        imported.cells(),
        kind="enterprise",
        origin=ORIGIN,
        now=NOW,
        persona=first_active(personas(imported.rows["employees"])),
    )


def test_counts(imported: Imported) -> None:
    expected = {
        "employees": 1260,
        "conversations": 500 + 498 + 550 + 402 + 447 + 500,
        "mail": 757,
        "tickets": 163,
        "products": 1351,
        "customers": 90,
        "sales": 13510,
        "support_chats": 1000,
        "posts": 971,
        "clients": 400,
        "vendors": 400,
        "resumes": 1013,
        "repositories": 59,
    }
    read = {note.source for note in imported.report.files if note.status == "read"}
    assert read
    wrong = {
        s: imported.report.counts[s]
        for s in expected
        if s in read and imported.report.counts[s] != expected[s]
    }
    assert not wrong
    assert len({row["policy_id"] for row in imported.rows["policies"]}) == 24
    orders = [note for note in imported.report.files if note.source == "orders"]
    assert len(imported.rows["orders"]) == len(orders) > 0
    assert not [f for f in imported.report.findings if f.severity == "error"]


def test_nothing_dangles_and_managers_agree(imported: Imported) -> None:
    kinds = imported.report.by_kind()
    absent = {"dangling", "unknown_manager", "asymmetric_manager", "manager_circle", "leaves_do_not_add_up"}
    assert not absent & set(kinds)
    assert "level_and_category" not in kinds
    assert kinds["shared_address"] == 5
    assert kinds["left_but_valid"] == 309


def test_quarantine(imported: Imported) -> None:
    assert {k: n for k, n in imported.report.flagged_by_kind().items() if not k.startswith("task_")} == {
        "chat_before_purchase": 255,
        "foreign_signature": 684,
        "self_conversation": 34,
        "self_mail": 6,
        "ticket_after_leaving": 10,
        **({"resume": 1013} if imported.rows.get("resumes") else {}),
    }
    debris = {f.record for f in imported.report.findings if f.kind == "prompt_debris"}
    assert len(debris) == 63
    assert len({f.record for f in imported.report.findings if f.kind == "stray_characters"}) == 7


HIERARCHY = {
    "EN": (261, 111, 96, 0, 11),
    "HR": (73, 27, 20, 0, 6),
    "BU": (63, 33, 23, 2, 3),
    "IN": (65, 26, 24, 1, 3),
    "BP": (60, 28, 25, 0, 1),
    "FI": (47, 33, 24, 0, 4),
    "SA": (63, 22, 23, 0, 0),
    "MA": (45, 21, 15, 0, 1),
}


def test_departments_and_levels(imported: Imported) -> None:
    people = imported.rows["employees"]
    cells = Counter((row["department"], row["level"]) for row in people)
    levels = ("09", "10", "12", "13", "14")
    assert {d: tuple(cells[d, level] for level in levels) for d in HIERARCHY} == HIERARCHY
    assert sum(cells.values()) == 1260


def test_the_hierarchy(imported: Imported) -> None:
    people = {str(row["emp_id"]): row for row in imported.rows["employees"]}
    edges: Counter[tuple[str | None, str | None]] = Counter()
    for row in people.values():
        if row["reports_to"]:
            boss = people[row["reports_to"]]
            assert boss["department"] == row["department"]
            edges[row["level"], boss["level"]] += 1
    assert edges == {
        ("09", "10"): 677,
        ("10", "12"): 301,
        ("12", "14"): 180,
        ("12", "13"): 47,
        ("13", "14"): 3,
    }
    depths = Counter(len(persona.managers) for persona in personas(imported.rows["employees"]).values())
    assert depths == {0: 52, 1: 205, 2: 330, 3: 545, 4: 128}


def test_people(imported: Imported) -> None:
    people = imported.rows["employees"]
    salaries = sorted(float(row["salary"] or 0) for row in people)
    assert (salaries[0], salaries[-1]) == (25194, 478313)
    assert round(statistics.median(salaries)) == 96666
    assert round(statistics.mean(salaries), -3) == 104000
    assert Counter(row["performance_rating"] for row in people) == {
        "5": 462,
        "4": 300,
        "2": 213,
        "3": 194,
        "1": 91,
    }
    assert Counter(row["gender"] for row in people) == {"Male": 1085, "Female": 175}
    assert sum(row["doj"] == "2012-01-03" for row in people) == 499
    assert Counter(row["is_valid"] for row in people) == {"TRUE": 951, "FALSE": 309}
    assert all(row["dol"] is None or str(row["dol"]) >= str(row["doj"]) for row in people)
    gone = {row["emp_id"] for row in people if row["is_valid"] == "FALSE"}
    assert sum(row["is_valid"] == "TRUE" and row["reports_to"] in gone for row in people) == 223


def test_the_other_sources(imported: Imported) -> None:
    rows = imported.rows
    assert Counter(r["priority"] for r in rows["tickets"]) == {"high": 73, "medium": 53, "low": 37}
    assert len({r["raised_by_emp_id"] for r in rows["tickets"]}) == 154
    assert {r["status"] for r in rows["tickets"]} == {"resolved"}
    assert len({r["category"] for r in rows["products"]}) == 211
    assert sum(r["rating"] is None for r in rows["products"]) == 1
    assert len({r["product_name"] for r in rows["products"]}) == 1351 - 14
    assert set(Counter(r["product_id"] for r in rows["sales"]).values()) == {10}
    assert [rows["sales"][n]["sales_record_id"] for n in (0, -1)] == ["SAL-0", "SAL-13509"]
    prices = {r["product_id"]: (r["discounted_price"], r["actual_price"]) for r in rows["products"]}
    assert all((r["discounted_price"], r["actual_price"]) == prices[r["product_id"]] for r in rows["sales"])
    assert len({r["emp_id"] for r in rows["support_chats"]}) == 27
    assert len({r["title"] for r in rows["posts"]}) == 969
    assert len({r["thread_id"] for r in rows["mail"]}) == 251
    assert all(r["phone_number"] and r["monthly_revenue"] for r in rows["clients"])
    assert {f.record for f in imported.report.findings if f.kind == "placeholder"}
    for row in rows["orders"]:
        assert row["customer_id"] == str(row["order_id"]).rpartition("_")[2]
        assert "₹" in str(row["text"])
        assert "■3" not in str(row["text"])


SHARES = {
    "conversations": 0.0016,
    "mail": 0.0016,
    "sales": 0.10,
    "tickets": 0.10,
    "support_chats": 0.09,
    "vendors": 0.09,
    "clients": 0.12,
    "repositories": 0.17,
    "products": 0.42,
    "customers": 0.42,
    "policies": 1.0,
    "posts": 1.0,
}


@pytest.mark.parametrize("source", SHARES)
def test_access_is_as_rare_as_measured(world: World, imported: Imported, source: str) -> None:
    """The measured shares count everybody, those who left as if they had not."""
    if not imported.rows.get(source):
        pytest.skip(f"the files have no {source}")
    policy = load_policy(packaged_policy(), TABLES)
    people = personas(imported.rows["employees"]).values()
    conditions = Counter(
        policy.condition(person.model_copy(update={"active": True}), source, "read") for person in people
    )
    assert abs(_allowed(world, source, conditions) - SHARES[source]) < 0.005


def test_private_fields_are_as_rare_as_measured(world: World, imported: Imported) -> None:
    policy = load_policy(packaged_policy(), TABLES)
    people = personas(imported.rows["employees"]).values()
    conditions = Counter(
        policy.private_condition(person.model_copy(update={"active": True}), "employees") for person in people
    )
    assert abs(_allowed(world, "employees", conditions) - 0.10) < 0.005


def _allowed(world: World, source: str, conditions: Counter[str]) -> float:
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", world.image)
    pairs = sum(
        times * connection.execute(f"SELECT count(*) FROM {source} AS r WHERE {condition}").get
        for condition, times in conditions.items()
    )
    records: int = connection.execute(f"SELECT count(*) FROM {source}").get
    return float(pairs / (records * conditions.total()))


def test_personas_are_those_that_the_tools_find(world: World, imported: Imported) -> None:
    everybody = personas(imported.rows["employees"])
    for emp_id in list(everybody)[::40]:
        assert everybody[emp_id] == find_persona(world, emp_id)


def test_it_takes_less_than_ten_seconds(timed: tuple[Imported, float]) -> None:
    assert timed[1] < 10


@pytest.mark.parametrize("sources", [("employees",), ("sales", "posts")])
def test_any_source_may_be_missing(original: Path, tmp_path: Path, sources: tuple[str, ...]) -> None:
    """Links to the files, without documents and some sources: who others name; who names, and neither."""
    for names in (names for other, names in FILES.items() if other not in sources):
        for name in names:
            if (original / name).exists():
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).symlink_to(original / name)
    imported = read_enterprise(tmp_path)
    assert [imported.report.counts[source] for source in sources] == [0] * len(sources)
    assert "dangling" not in imported.report.by_kind()
