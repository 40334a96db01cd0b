"""`worksmith access` explains and checks the rules of a world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.worlds import env
from tests.tools.kinds.enterprise import small_world
from tests.worksmith.commands import called, printed, shown
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.roles import packaged_policy as packaged_roles
from worksmith.tools.kinds.crm.crm_world import CRM
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.kinds.enterprise.access import packaged_policy
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("suite")
    small_world.write_small_world(directory)
    return directory


def test_check_counts_what_a_tool_would_show(suite: Path) -> None:
    found = printed("access", "check", suite, "--as", small_world.GITA)
    assert found["persona"]["department"] == "EN"
    mail = small_world.small_rows()["mail"]
    columns = next(table.columns for table in TABLES if table.name == "mail")
    ends = [columns.index(name) for name in ("sender_emp_id", "recipient_emp_id")]
    rights = {source["source"]: source for source in found["sources"]}
    assert set(rights) == set(KEYS)
    assert rights["mail"]["total"] == len(mail)
    assert rights["mail"]["readable"] == sum(small_world.GITA in (row[e] for e in ends) for row in mail)
    assert rights["employees"]["private_seen"] == 1


def test_check_names_the_rule_for_a_record(suite: Path) -> None:
    of_a_director = ["--source", "employees", "--record", small_world.DIRECTOR]
    gita = printed("access", "check", suite, "--as", small_world.GITA, *of_a_director)["record"]
    assert gita["decisions"]["read"]["rule"] == "EMP-READ"
    assert (gita["private"]["allow"], gita["private"]["rule"]) == (False, "EMP-PRIVATE")
    assert gita["update_fields"] == {}
    personnel = printed("access", "check", suite, "--as", small_world.HR_LEAD, *of_a_director)["record"]
    assert personnel["private"]["allow"]
    assert personnel["update_fields"]["salary"] == "EMP-UPDATE"
    assert not personnel["decisions"]["delete"]["allow"]


def test_check_tells_in_words_without_records(suite: Path) -> None:
    mail = ("--source", "mail", "--operation", "read")
    said = shown("access", "check", suite, "--as", small_world.LEFT, *mail)
    assert "works here no more" in said
    assert "mail: may read 0 of" in said
    assert "update" not in said


@each_row(
    ("arguments", "message"),
    [
        (["--as", "emp_9999"], "no employee"),
        (["--as", small_world.GITA, "--source", "diaries"], "no rules for a source"),
        (["--as", small_world.GITA, "--operation", "peek"], "no operation"),
        (["--as", small_world.GITA, "--source", "mail", "--record", "EM-9"], "no record"),
        (["--as", small_world.GITA, "--record", "EM-9"], "belongs to a source"),
    ],
)
def test_check_explains_what_it_cannot_answer(suite: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        called("access", "check", suite, *arguments)


def test_validate_names_the_place_of_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(packaged_policy())
    assert printed("access", "validate", file) | {"rules": 0} == {
        "valid": True,
        "sources": len(KEYS),
        "rules": 0,
        "tools_denied": [],
        "sources_denied": [],
        "departments_unknown": [],
    }
    file.write_text(packaged_policy().replace('{"self": "sender_emp_id"}', '{"self": "sender"}', 1))
    with pytest.raises(InputError) as error:
        called("access", "validate", file)
    assert str(error.value).startswith(f"{file}: sources.conversations.rules[1].when.all[0].self: ")


def test_the_schema_is_that_of_the_files_that_are_read(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(shown("access", "schema"))
    document = {"$schema": "policy.schema.json", **json.loads(packaged_policy())}
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(document))
    assert printed("access", "validate", file)["valid"]
    document["sources"]["mail"]["rules"][0]["when"] = {"same": {"persona": "id"}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_validate_takes_no_empty_kind(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text(packaged_policy())
    with pytest.raises(InputError, match="no world kind ''"):
        called("access", "validate", tmp_path / "rules.json", "--kind", "")


def test_validate_points_out_departments_that_nobody_is_in(tmp_path: Path) -> None:
    document = json.loads(packaged_policy())
    document["groups"] = {"EXEC": ["CE", "CTO"]}
    document["sources"]["mail"]["rules"][0]["when"] = {
        "all": [{"always": True}, {"department": ["HRR", "HR"]}]
    }
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(document))
    found = printed("access", "validate", file)
    said = shown("access", "validate", file)

    assert found["valid"]
    assert found["departments_unknown"] == [
        "CTO in groups.EXEC",
        "HRR in sources.mail.rules[0].when.all[1].department",
    ]
    assert "HRR in sources.mail.rules[0]" in said


def test_validate_reads_roles_of_a_crm(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    file.write_text(packaged_roles())
    found = printed("access", "validate", file, "--kind", "crm")
    assert found["valid"]
    assert list(found["roles"]) == ["service_agent", "service_manager", "service_analyst"]
    assert "3 roles" in shown("access", "validate", file, "--kind", "crm")
    file.write_text(packaged_roles().replace('"Case"', '"Lead"', 1))
    with pytest.raises(InputError) as error:
        printed("access", "validate", file, "--kind", "crm")
    assert str(error.value).startswith(f"{file}: roles.service_agent.objects[3]: no object 'Lead'")


@pytest.fixture(scope="module")
def crm() -> Path:
    return env().world.path


def test_check_says_what_there_is_for_a_role(crm: Path) -> None:
    found = printed("access", "check", crm, "--as", "service_agent")
    sources = {each["source"]: each for each in found["sources"]}

    assert found["persona"]["id"] == "service_agent"
    assert set(sources) == set(OBJECTS)
    assert sources["Case"]["readable"] == sources["Case"]["total"] > 0
    assert (sources["CaseHistory__c"]["readable"], sources["CaseHistory__c"]["total"] > 0) == (0, True)
    assert sources["User"]["hidden"] == ["Phone", "Username", "Alias"]
    assert sources["Case"]["operations"]["read"]["allow"]
    assert not sources["Case"]["operations"]["delete"]["allow"]
    assert set(found["functions"]) == {name for names in CRM.categories.values() for name in names}
    denied = {name for name, decision in found["functions"].items() if not decision["allow"]}
    assert denied == set(sources["CaseHistory__c"]["functions"])


def test_check_of_an_object_says_which_functions_read_it(crm: Path) -> None:
    of_histories = ["--source", "CaseHistory__c"]
    manager = printed("access", "check", crm, "--as", "service_manager", *of_histories)
    assert [each["source"] for each in manager["sources"]] == ["CaseHistory__c"]
    assert set(manager["functions"]) == {
        "get_agent_handled_cases_by_period",
        "get_non_transferred_case_ids",
        "get_agent_transferred_cases_by_period",
    }
    assert all(decision["allow"] for decision in manager["functions"].values())
    said = shown("access", "check", crm, "--as", "service_agent", *of_histories)
    assert "CaseHistory__c: may read 0 of" in said
    assert "denied: get_non_transferred_case_ids needs CaseHistory__c" in said


def test_check_decides_on_a_record_of_a_crm(crm: Path) -> None:
    key = small().rows["Case"][0][0]
    assert key
    arguments = ["--as", "service_agent", "--source", "Case", "--record", key[:15]]
    record = printed("access", "check", crm, *arguments)["record"]
    assert record["record"] == f"Case/{key}"
    assert {name: decision["allow"] for name, decision in record["decisions"].items()} == {
        "read": True,
        "update": False,
        "delete": False,
    }


@each_row(
    ("arguments", "message"),
    [
        (["--as", "boss"], "no role 'boss'.*service_agent"),
        (["--as", "service_agent", "--source", "Lead"], "no object 'Lead'"),
        (["--as", "service_agent", "--operation", "peek"], "no operation"),
        (["--as", "service_agent", "--source", "Case", "--record", "500"], "no record '500' in Case"),
        (["--as", "service_agent", "--record", "500"], "belongs to a source"),
    ],
)
def test_check_of_roles_explains_what_it_cannot_answer(crm: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        called("access", "check", crm, *arguments)
