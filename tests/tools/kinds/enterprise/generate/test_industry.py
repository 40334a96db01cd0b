"""Industries: the packaged ones hang together, and folders that are none are refused with what is wrong."""

from __future__ import annotations

import copy
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.checks.verify import verify
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.generate import Sizes, generate
from worksmith.evals.kinds.enterprise.suites import BUILDER, EnterpriseOptions, write_enterprise
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.generate import DEFAULT_NOW, build
from worksmith.tools.kinds.enterprise.generate.build import build_again
from worksmith.tools.kinds.enterprise.generate.industry import (
    DEFAULT_INDUSTRY,
    Industry,
    check,
    industry_names,
    industry_of,
    open_industry,
    packaged,
)
from worksmith.tools.world import World

GARDEN = packaged("garden")
LAMPS: dict[str, Any] = json.loads(Path(__file__).with_name("lamps.json").read_text("utf-8"))
"""The smallest industry: ten lamps, by file."""

KINDS = [kind["name"] for kind in LAMPS["catalogue"]["kinds"]]
SAID = {"good": ["glows"], "meh": ["shines"], "mild": ["hums"], "bad": ["burns out"]}
_FACTS = ("warranty", "guarantee", "rupees", "discount", "stock", "colour is", "made in", "version")


def write(place: Path, files: dict[str, Any]) -> str:
    folder = place / "mine"
    for name, data in files.items():
        file = folder / f"{name}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{json.dumps(key)} = {_toml(value)}\n" for key, value in data.items()))
    return str(folder)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(one)}' for key, one in value.items())}}}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list) else json.dumps(value)


def test_two_industries_come_with_the_package() -> None:
    assert industry_names() == ["garden", "retail"]
    assert packaged().name == DEFAULT_INDUSTRY == "retail"


@pytest.mark.parametrize("name", industry_names())
def test_packaged_industries_hang_together(name: str) -> None:
    check(packaged(name))


def test_labels_name_the_contents_but_of_the_default() -> None:
    assert packaged().label == ""
    assert GARDEN.label == f"garden {GARDEN.digest}"
    assert industry_of("") is packaged()
    assert industry_of(GARDEN.label) is GARDEN


@pytest.mark.parametrize("label", ["garden", "garden 0000000000000000", f"mine {GARDEN.digest}", "retail"])
def test_worlds_of_other_industries_cannot_be_made_again(label: str) -> None:
    with pytest.raises(InputError, match="the package has no industry"):
        industry_of(label)


def test_sentences_about_garden_products_state_no_fact() -> None:
    forbidden = {*_FACTS, *map(str.lower, GARDEN.catalogue["origins"])}
    sentences = [sentence for bank in GARDEN.features.values() for sentence in bank]
    assert min(map(len, GARDEN.features.values())) >= 12
    assert len(sentences) == len(set(sentences))
    assert not [one for one in sentences if any(word in one.lower() for word in forbidden)]


def test_every_garden_product_has_problems_for_every_usual_outcome() -> None:
    for kind in GARDEN.kinds:
        own = [one for one in GARDEN.problems.values() if kind in one["kinds"]]
        assert {fit for one in own for fit in one["fits"]} >= {
            "replacement",
            "refund",
            "troubleshooting",
            "advice",
        }


def test_a_garden_company_has_its_own_partners_and_the_shared_topics() -> None:
    shared = {(code, name) for code, domains in packaged().topics.items() for name in domains}
    assert {(code, name) for code, domains in GARDEN.topics.items() for name in domains} == shared
    assert not set(GARDEN.kinds) & set(packaged().kinds)
    assert "Plant Nurseries" in GARDEN.clients
    assert "Irrigation" in GARDEN.vendors


@pytest.mark.slow
def test_a_garden_company_is_sound_and_its_tasks_can_be_done(tmp_path: Path) -> None:
    built = build(7, 0.02, industry=GARDEN)
    assert verify(built) == []
    world = write_enterprise(tmp_path, built, seed=7, scale=0.02)
    assert World.open(tmp_path).manifest.industry == GARDEN.label
    tasks = generate(world, built, 7, sizes=Sizes(test=20, train=5, dev=5))
    assert all(task.gold_plan for task in tasks)
    again = build_again(world.manifest)
    assert again.rows == built.rows
    texts = {cell for rows in built.rows.values() for row in rows for cell in row if cell}
    foreign = re.compile(r"\b(?:mixer grinder|dosa tawa|smart television|bean bag)s?\b")
    assert not [text for text in texts if foreign.search(text)]
    assert Facts(built, DEFAULT_NOW).industry is GARDEN


def test_a_folder_of_ones_own_is_an_industry(tmp_path: Path) -> None:
    mine = open_industry(write(tmp_path, copy.deepcopy(LAMPS)))
    assert mine.name == "mine"
    assert set(mine.kinds) == set(KINDS)
    assert mine.vendors is packaged().vendors
    assert mine.topics == packaged().topics
    assert mine.label == f"mine {mine.digest}"


def test_the_same_contents_under_another_name_have_the_same_digest(tmp_path: Path) -> None:
    folder = Path(write(tmp_path, copy.deepcopy(LAMPS)))
    other = shutil.copytree(folder, tmp_path / "other")
    assert open_industry(str(folder)).digest == open_industry(str(other)).digest
    (other / "asides.toml").write_text("asides = []\n")
    assert open_industry(str(folder)).digest != open_industry(str(other)).digest


def test_a_topic_of_ones_own_replaces_that_of_the_default(tmp_path: Path) -> None:
    files = copy.deepcopy(LAMPS)
    lamps = {"things": ["the lamp"] * 8} | {
        name: ["It glows."] * 6 for name in ("done", "trouble", "next", "gain")
    }
    files["topics/SA"] = {"festival campaign": {"radio spot": lamps}}
    mine = open_industry(write(tmp_path, files))
    assert mine.topics["SA"]["festival campaign"]["radio spot"]["things"][0] == "the lamp"
    assert list(mine.topics["SA"]["festival campaign"]) == list(packaged().topics["SA"]["festival campaign"])
    assert mine.topics["HR"] == packaged().topics["HR"]


def test_sentences_of_a_topic_about_other_goods_are_replaced(tmp_path: Path) -> None:
    files = copy.deepcopy(LAMPS)
    old = packaged().topics["SA"]["festival campaign"]["radio spot"]
    instead = {old["gain"][1]: "Lamps glow."}
    files["topics/SA"] = {"festival campaign": {"radio spot": {"instead": instead}}}
    new = open_industry(write(tmp_path, files)).topics["SA"]["festival campaign"]["radio spot"]
    assert new == {**old, "gain": [old["gain"][0], "Lamps glow.", *old["gain"][2:]]}


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Sets what stands at a path, parts divided by slashes after the file, or deletes it if that is None."""

    def change(files: dict[str, Any]) -> None:
        file, *keys = path.split(" > ")
        place: Any = files[file]
        steps: list[Any] = [int(key) if key.isdigit() else key for key in keys]
        for step in steps[:-1]:
            place = place[step]
        if value is None:
            del place[steps[-1]]
        else:
            place[steps[-1]] = value

    return change


LAMP = KINDS[0]
BROKEN: dict[str, Callable[[dict[str, Any]], None]] = {
    "catalogue.toml: not an industry: kinds.0.prise: Extra": put("catalogue > kinds > 0 > prise", 3),
    "not an industry: brands: Field required": put("catalogue > brands", None),
    "the prices of the amber lamp begin above": put("catalogue > kinds > 0 > prices", [900, 100]),
    "2 kinds have the category": put("catalogue > kinds > 0 > category", f"Home|{KINDS[1]}"),
    "features: not an industry: each kind": put(f"features/all > {LAMP}", None),
    "{price} is no slot here": put(f"features/all > {LAMP} > 0", "It costs {price}."),
    "a brace without its other half": put(f"launches > {LAMP} > asks", ["What {?"]),
    "no other: see 'shade'": put(f"reviews/all > {LAMP} > shade", SAID),
    "one is said in no person": put(f"reviews/all > {LAMP} > foot > bad", ["cut my toe"]),
    "descriptions say 'suits me' as well": put(f"reviews/all > {LAMP} > foot > good", ["suits me"]),
    "dark-0: the amber lamp has no shade": put("problems/all > dark-0 > part", "shade"),
    "dark-0: `no` belongs to `unresolved`": put("problems/all > dark-0 > no", "It is too old."),
    "dark-0: steps are a deed": put("problems/all > dark-0 > steps", [["Turn it.", "It glows."]]),
    "two problems say": put("problems/all > dark-0 > says", ["The blue lamp is dark.", "It is dark."]),
    "2 days on, no problem of the amber lamp": put("problems/all > dark-0 > days", [3, 90]),
    "no complaint about the amber lamp": put("problems/all > dark-0 > says", ["Dark {few} days.", "{span}."]),
    "clients.toml: not an industry: 'moon'": put("clients > Hotels > uses", {"moon": ["the night"]}),
    "asides.toml: not an industry: 'moon'": put("asides > asides > 0 > kinds", ["moon"]),
    "asides.0.months.0: Input should be less": put("asides > asides > 0 > months", [13]),
}  # fmt: skip


@each_row("said", BROKEN)
def test_what_is_no_industry_is_refused(tmp_path: Path, said: str) -> None:
    files = copy.deepcopy(LAMPS)
    BROKEN[said](files)
    with pytest.raises(InputError) as refused:
        open_industry(write(tmp_path, files))
    assert said in str(refused.value)
    assert "docs/how-to/industries.md" in str(refused.value)


def test_strange_and_missing_files_are_refused(tmp_path: Path) -> None:
    folder = Path(write(tmp_path, copy.deepcopy(LAMPS)))
    for file, text, said in (
        ("problem.toml", b"", "'problem.toml' is no part of an industry"),
        ("reviews/notes.md", b"", "no file of an industry"),
        ("problems/more.toml", b"dark-0 = 3", "'dark-0' is in another file already"),
        ("topics/SA.toml", b'["moon landing"]', "no department has the domain 'moon landing'"),
        (
            "topics/SA.toml",
            b"['festival campaign'.'radio spot'.instead]\n'We sang.' = 'We danced.'",
            "the default's radio spot does not say 'We sang.'",
        ),
        ("topics/SA.toml", b"[[", "not an industry: "),
        ("topics/SA.toml", b"\xff", "not an industry: "),
    ):
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        with pytest.raises(InputError, match=re.escape(said)):
            open_industry(str(folder))
        path.unlink()
    (folder / "launches.toml").unlink()
    with pytest.raises(InputError, match=r"launches\.toml"):
        open_industry(str(folder))


@pytest.mark.parametrize("choice", ["ships", "../retail", "shoes.toml", ""])
def test_names_and_folders_that_there_are_not_are_refused(choice: str) -> None:
    with pytest.raises(InputError):
        BUILDER.forecast(EnterpriseOptions(industry=choice))


def test_one_industry_is_one_object() -> None:
    assert open_industry("garden") is GARDEN
    assert isinstance(GARDEN, Industry)
