"""An environment is made at once and opened when it is first used."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path

import pytest

from tests.evals import small_office
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.policy import Decision
from worksmith.tools.sqlite.schema import Table


@pytest.fixture
def wrong(tmp_path: Path) -> Environment:
    """An environment whose world has not the tables of its kind."""
    kind = dataclasses.replace(OFFICE, tables=(*OFFICE.tables, Table("rooms", ("room_id",))))
    return Environment(small_office.world(tmp_path), kind)


def test_the_kind_can_be_given(tmp_path: Path) -> None:
    kind = dataclasses.replace(OFFICE, shared_toolkits=())
    world = small_office.world(tmp_path)

    assert Environment(world).kind is OFFICE
    assert list(Environment(world, kind).episode(["email"]).toolset) < list(
        Environment(world).episode(["email"]).toolset
    )


def test_what_is_wrong_shows_at_the_first_use(wrong: Environment) -> None:
    for use in (wrong.check, wrong.episode):
        with pytest.raises(InputError, match="has no rooms as its kind has"):
            use()


def test_a_policy_that_lacks_something_is_named_before_any_episode(tmp_path: Path) -> None:
    class Closed:
        digest = "closed"

        def decide(self, persona: object, tool: str, arguments: object) -> Decision:
            return Decision(False, "closed")

    kind = dataclasses.replace(OFFICE, open_policy=lambda _: Closed())  # type: ignore[arg-type, return-value]
    with pytest.raises(InputError, match="world kind office: the policy Closed lacks unreadable, visible"):
        Environment(small_office.world(tmp_path), kind).check()


def test_an_environment_that_is_opened_is_checked_at_once(tmp_path: Path) -> None:
    world = small_office.world(tmp_path)
    (tmp_path / "world.sqlite").write_bytes(b"no database")
    with pytest.raises(InputError, match="the world differs"):
        Environment.open(world.path)


def test_own_tools_are_in_the_digest(tmp_path: Path) -> None:
    world = small_office.world(tmp_path)
    own = dataclasses.replace(OFFICE, digest="tools of my own")

    assert Environment(world, own).digest != Environment(world).digest


def test_a_copy_is_the_same_environment_and_a_pickle_opens_its_folder(tmp_path: Path) -> None:
    env = small_office.env(tmp_path)
    back = pickle.loads(pickle.dumps(env))

    assert copy.deepcopy(env) is env
    assert back.digest == env.digest
