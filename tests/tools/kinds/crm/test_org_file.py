"""An org's records in an SQLite file, whatever the case of its names."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.tools.kinds.crm.worlds import written
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.org_file import read_org, write_org
from worksmith.tools.kinds.crm.schema import OBJECTS

CASE, OWNER = make_id("500", 1), make_id("005", 2)


def made(path: Path, *statements: str) -> Path:
    with closing(apsw.Connection(str(path))) as file:
        for statement in statements:
            file.execute(statement)
    return path


def cells(path: Path, name: str) -> dict[str, str | None]:
    return dict(zip(OBJECTS[name].columns, read_org(path).rows[name][0], strict=True))


def test_names_count_in_any_case_and_values_get_the_form_of_results(tmp_path: Path) -> None:
    path = made(
        tmp_path / "org.db",
        "CREATE TABLE CASE_ (x)",
        'CREATE TABLE "cAsE" (ID, subject TEXT, OWNERID, createddate, Colour)',
        f"INSERT INTO \"case\" VALUES ('{CASE[:15]}', 'Late', '{OWNER}', '2023-04-05 06:07:08', 'red')",
        "CREATE TABLE product2 (Id, IsActive)",
        f"INSERT INTO product2 VALUES ('{make_id('01t', 1)}', 1)",
    )
    case = cells(path, "Case")
    assert case["Id"] == CASE
    assert (case["Subject"], case["CreatedDate"]) == ("Late", "2023-04-05T06:07:08.000+0000")
    assert cells(path, "Product2")["IsActive"] == "true"
    found = read_org(path)
    assert found.unknown == ["CASE_", "Case.Colour"]
    assert {"User", "Case.Description"} <= {*found.missing}


def test_odd_values_stay_and_rows_without_an_id_of_their_own_do_not(tmp_path: Path) -> None:
    path = made(
        tmp_path / "org.db",
        'CREATE TABLE "Case" (Id, CreatedDate)',
        f"INSERT INTO \"Case\" VALUES ('{CASE}', 'yesterday'), ('{CASE}', NULL), (NULL, NULL)",
    )
    found = read_org(path)
    assert len(found.rows["Case"]) == 1
    assert cells(path, "Case")["CreatedDate"] == "yesterday"
    assert found.odd == {"Case.CreatedDate": 1}
    assert found.dropped == {"Case": 2}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    source = made(
        tmp_path / "org.db",
        'CREATE TABLE "Case" (Id, Subject, CreatedDate)',
        f"INSERT INTO \"Case\" VALUES ('{CASE}', 'Late', '2023-04-05T06:07:08Z')",
        'CREATE TABLE "OrderItem" (Id, Quantity, UnitPrice)',
        f"INSERT INTO \"OrderItem\" VALUES ('{make_id('802', 1)}', 2.0, 19.5)",
    )
    rows = read_org(source).rows
    counts = write_org(written({name: rows.get(name, []) for name in OBJECTS}).world, tmp_path / "again.db")
    assert counts["Case"] == counts["OrderItem"] == 1
    again = read_org(tmp_path / "again.db")
    assert {name: found for name, found in again.rows.items() if found} == rows
    assert (again.missing, again.unknown, again.odd) == ([], [], {})


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "org.db").write_bytes(content)
    with pytest.raises(InputError, match=r"org\.db"):
        read_org(tmp_path / "org.db")


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no table is called like an object"):
        read_org(made(tmp_path / "org.db", "CREATE TABLE songs (name)"))
