"""A world moved to an empty org: our own server plays it, the real client does it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.live.conftest import name_org
from tests.tools.kinds.crm.rest.running import Served, empty_world, local, served
from worksmith.tools.errors import InfrastructureError, InputError, WorksmithError
from worksmith.tools.kinds.crm.live.ids import IdFile, TranslatedOrg, translated
from worksmith.tools.kinds.crm.live.org import SalesforceOrg
from worksmith.tools.kinds.crm.live.plan import UploadPlan, make_plan
from worksmith.tools.kinds.crm.live.target import RefusedError, Target, Values
from worksmith.tools.kinds.crm.live.upload import Step, Upload, check_file
from worksmith.tools.kinds.crm.rest.rules import rules
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.world import World

pytestmark = pytest.mark.usefixtures("trusting")

BUILT = small()
CONSTANTS = {
    "ProductCategory": {"CatalogId": "0ZSwK0000000001AAA"},
    "LiveChatTranscript": {"LiveChatVisitorId": "571wK0000000001AAA"},
}
OF_ITS_OWN = {"Account.RecordTypeId", "ProductCategory.CatalogId", "LiveChatTranscript.LiveChatVisitorId"}
"""Fields that hold ids of records that no world has."""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """An empty org that lets dates be given."""
    with served(empty_world(tmp_path / "empty"), writable=True, audit=True) as running:
        name_org(monkeypatch, running)
        yield running


@pytest.fixture
def target(empty: Served) -> Target:
    return Target(SalesforceOrg.from_env())


def upload(world: World, target: Target, file: Path, **options: Any) -> dict[str, int]:
    plan = make_plan(world, target, CONSTANTS)
    return Upload(plan, target, new_file(world, target, file), **options).run()


def new_file(world: World, target: Target, file: Path) -> IdFile:
    return IdFile.new(file, world.manifest.digest, target.host)


def resume(world: World, target: Target, file: Path, **options: Any) -> dict[str, int]:
    return Upload(make_plan(world, target, CONSTANTS), target, IdFile.read(file), **options).run()


def contents(org: Any, name: str) -> list[dict[str, Any]]:
    """All records of an object in an order that does not depend on when they were made."""
    fields = [
        field
        for field in OBJECTS[name].columns
        if f"{name}.{field}" not in OF_ITS_OWN
        and (name, field) != ("Contact", "OwnerId")
        and getattr(rules(name).made.get(field), "by", "") not in ("number", "id")
    ]
    found: list[dict[str, Any]] = org.query(f"SELECT {', '.join(fields)} FROM {name}").records
    return sorted(found, key=lambda record: str(record["Id"]))


def check_whole(world: World, live: TranslatedOrg) -> None:
    """See that the org has what the world has, no more and no less."""
    ours = local(world)
    for name in OBJECTS:
        found, expected = contents(live, name), contents(ours, name)
        if name == "Pricebook2":  # the standard one is the org's own
            found, expected = ([each for each in of if not each["IsStandard"]] for of in (found, expected))
        assert found == expected, name


def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    world: World, empty: Served, target: Target
) -> None:
    plan = make_plan(world, target, CONSTANTS)

    assert not empty.store.changed
    by_name = {each.name: each for each in plan.objects}
    assert {name: len(each.rows) + len(each.matched) for name, each in by_name.items()} == {
        name: len(rows) for name, rows in BUILT.rows.items()
    }
    assert not any(each.lost or each.needed or each.already or each.absent for each in plan.objects)
    assert by_name["Case"].sent == tuple(
        name for name in OBJECTS["Case"].columns if name not in ("Id", "CaseNumber", "IsClosed")
    )
    assert set(by_name["Account"].left) == {"RecordTypeId"}
    assert plan.obstacles(despite_losses=False, despite_records=False) == []
    assert json.dumps([each.to_json() for each in plan.objects])


def test_what_is_referred_to_comes_first(world: World, target: Target) -> None:
    places = {each.name: place for place, each in enumerate(make_plan(world, target, {}).objects)}

    for name, entity in OBJECTS.items():
        for field in entity.queryable:
            for referred in field.targets:
                if referred in places and f"{name}.{field.name}" != "Account.PersonContactId":
                    assert places[referred] < places[name]
    assert places["OrderItem"] < places["Case"] > places["Issue__c"]


def test_what_the_org_needs_and_the_world_has_not_stands_against_it(world: World, target: Target) -> None:
    obstacles = make_plan(world, target, {}).obstacles(despite_losses=False, despite_records=False)

    assert sorted(each.partition(":")[0] for each in obstacles) == ["LiveChatTranscript", "ProductCategory"]
    assert any("--set ProductCategory.CatalogId=" in each for each in obstacles)


@pytest.mark.slow
def test_a_whole_world_arrives(world: World, target: Target, tmp_path: Path) -> None:
    file = tmp_path / "ids.jsonl"
    steps: list[Step] = []

    counts = upload(world, target, file, progress=steps.append)

    assert counts == {name: len(rows) for name, rows in BUILT.rows.items()}
    live = translated(target.org, file)
    check_whole(world, live)
    assert steps[-1].done == steps[-1].total
    assert {step.object for step in steps} == set(OBJECTS) - {"Contact"}
    short = str(BUILT.rows["Case"][3][0])[:15]
    soql = f"SELECT Id, Owner.Name, (SELECT ToIds FROM EmailMessages) FROM Case WHERE Id = '{short}'"
    assert live.query(soql) == local(world).query(soql)
    sosl = "FIND {shoe*} RETURNING Product2(Id, Name ORDER BY Name)"
    assert live.search(sosl) == local(world).search(sosl)

    # A second upload changes nothing.
    before = file.read_bytes()
    assert resume(world, target, file) == counts
    assert file.read_bytes() == before
    check_whole(world, live)


class CutOff(Target):
    """A real org whose answer to one request never arrives, though it did what it was asked."""

    def __init__(self, org: SalesforceOrg, after: int) -> None:
        super().__init__(org)
        self._left = after

    def create(self, name: str, records: Sequence[Values]) -> list[str]:
        found = super().create(name, records)
        self._left -= 1
        if self._left == 0:
            raise InfrastructureError("the line was cut")
        return found


@pytest.mark.slow
def test_an_upload_that_is_cut_off_or_interrupted_is_gone_on_with_and_makes_nothing_twice(
    world: World, target: Target, tmp_path: Path
) -> None:
    file = tmp_path / "ids.jsonl"

    def interrupt(step: Step) -> None:
        if step.object == "Case":
            raise KeyboardInterrupt

    with pytest.raises(InfrastructureError, match="cut"):
        upload(world, CutOff(target.org, 1), file, batch=100)
    assert IdFile.read(file).under_way is not None
    with pytest.raises(InfrastructureError, match="cut"):
        resume(world, CutOff(target.org, 13), file, batch=100)
    assert IdFile.read(file).under_way is not None
    with pytest.raises(KeyboardInterrupt):
        resume(world, target, file, progress=interrupt, batch=30)

    assert resume(world, target, file) == {name: len(rows) for name, rows in BUILT.rows.items()}
    check_whole(world, translated(target.org, file))


def test_records_that_somebody_else_adds_meanwhile_are_not_taken_for_ours(
    world: World, empty: Served, target: Target, tmp_path: Path
) -> None:
    file = tmp_path / "ids.jsonl"
    ids = new_file(world, target, file)
    ids.note({"there": {}})
    ids.note({"object": "User", "sending": [str(row[0]) for row in BUILT.rows["User"][:2]]})
    user = {
        name: str(value) for name, value in BUILT.records("User")[0].items() if name in rules("User").required
    }
    client = empty.client()
    for each in range(2):
        client.User.create({**user, "Username": f"stranger{each}@example.com"})

    with pytest.raises(WorksmithError, match="somebody else"):
        resume(world, target, file)


def test_a_used_org_is_refused_unless_one_insists(world: World, empty: Served, target: Target) -> None:
    empty.client().Issue__c.create({"Name": "mine"})

    plan = make_plan(world, target, CONSTANTS)

    (obstacle,) = plan.obstacles(despite_losses=False, despite_records=False)
    assert obstacle.startswith("Issue__c: the org has 1 already")
    assert plan.obstacles(despite_losses=False, despite_records=True) == []


@pytest.mark.slow
def test_what_a_used_org_had_stays_as_it_was(
    world: World, empty: Served, target: Target, tmp_path: Path
) -> None:
    client = empty.client()
    name = BUILT.records("Issue__c")[0]["Name"]
    mine = client.Issue__c.create({"Name": name})["id"]
    account = client.Account.create({"LastName": "Mine"})["id"]
    before = (client.Issue__c.get(mine), client.Account.get(account))

    upload(world, target, tmp_path / "ids.jsonl")

    assert (client.Issue__c.get(mine), client.Account.get(account)) == before
    assert client.query("SELECT COUNT() FROM Issue__c")["totalSize"] == len(BUILT.rows["Issue__c"]) + 1


def test_dates_that_the_org_keeps_to_itself_are_a_loss_one_has_to_accept(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(empty_world(tmp_path), writable=True) as running:
        name_org(monkeypatch, running)
        plan = make_plan(world, Target(SalesforceOrg.from_env()), CONSTANTS)

    obstacles = plan.obstacles(despite_losses=False, despite_records=False)
    assert [each.partition(":")[0] for each in obstacles] == ["Case", "CaseHistory__c"]
    assert "CreatedDate (the org lets nobody set it)" in obstacles[0]
    assert plan.obstacles(despite_losses=True, despite_records=False) == []


def test_a_read_only_org_takes_nothing(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(empty_world(tmp_path)) as running:
        name_org(monkeypatch, running)
        plan = make_plan(world, Target(SalesforceOrg.from_env()), {})

    obstacles = plan.obstacles(despite_losses=True, despite_records=True)
    assert len(obstacles) == len(OBJECTS)
    assert all("takes no records" in each for each in obstacles)


def test_a_record_that_the_org_refuses_stops_it_with_a_reason(
    world: World, target: Target, tmp_path: Path
) -> None:
    plan = make_plan(world, target, CONSTANTS)
    broken = []
    for each in plan.objects:
        rows = [dict(row) for row in each.rows]
        if each.name == "Issue__c":
            rows[4]["Name"] = "x" * 300
        broken.append(replace(each, rows=rows))
    file = tmp_path / "ids.jsonl"

    with pytest.raises(RefusedError, match=r"Issue__c, record 5 of 10: STRING_TOO_LONG"):
        Upload(UploadPlan(tuple(broken), CONSTANTS), target, new_file(world, target, file)).run()

    assert target.count("Issue__c") == 0


@pytest.mark.parametrize(
    "constants", [{"Foo": {"A": "x"}}, {"Case": {"Foo": "x"}}, {"Case": {"CaseNumber": "x"}}]
)
def test_a_constant_has_to_be_of_use(
    world: World, target: Target, constants: dict[str, dict[str, str]]
) -> None:
    with pytest.raises(InputError):
        make_plan(world, target, constants)


def test_a_file_of_ids_belongs_to_a_world_and_an_org(tmp_path: Path) -> None:
    file = tmp_path / "ids.jsonl"
    IdFile.new(file, "world", "org")
    known = IdFile.read(file)

    check_file(known, "world", "org")
    with pytest.raises(InputError, match="another world"):
        check_file(known, "other", "org")
    with pytest.raises(InputError, match="to org, not other"):
        check_file(known, "world", "other")
    with pytest.raises(InputError, match="--resume"):
        IdFile.new(file, "world", "org")


def test_a_line_cut_off_by_a_crash_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "ids.jsonl"
    ids = IdFile.new(file, "world", "org")
    ids.note({"object": "User", "sending": ["a"]})
    with file.open("a") as out:
        out.write('{"ids": {"a": "b"')

    again = IdFile.read(file)
    assert again.under_way == ("User", ["a"])
    again.note({"ids": {"a": "c"}})
    assert IdFile.read(file).theirs == {"a": "c"}


@pytest.mark.parametrize(
    "text", ["", "{}\n", "[]\n", "nonsense\n", '{"format": "other"}\n', '{"format": "worksmith-org-ids/1"}\n']
)
def test_no_other_file_is_taken_for_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ids.jsonl"
    file.write_text(text)

    with pytest.raises(InputError, match="not a file of ids"):
        IdFile.read(file)
    assert file.read_text() == text
