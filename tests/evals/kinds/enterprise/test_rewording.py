"""Records reworded by a model: what changes in a world, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.enterprise.generate.checks.verify import verify
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.authoring.rewriting.asking import signature_of
from worksmith.evals.kinds.enterprise.rewording import REPORT_FILE, Choice, reword_records
from worksmith.evals.kinds.enterprise.suites import BUILDER, EnterpriseOptions
from worksmith.evals.tasks.building import BuildContext
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.kinds.enterprise.stated.particulars import sentences
from worksmith.tools.world import World

VENDORS = Choice.of("vendors")


def turned(text: str) -> str:
    """The same sentences, the first one last: another wording that loses nothing."""
    first, *others = sentences(text)
    return " ".join([*others, first])


def model(change: Callable[[str], str]) -> Any:
    """A model that changes the descriptions of vendors like that."""
    from dspy.utils import DummyLM

    texts = [str(record["relationship_description"]) for record in small().records("vendors")]
    return DummyLM({text: {"reworded": change(text)} for text in texts})


def forecast(**options: Any) -> dict[str, Any]:
    return BUILDER.forecast(EnterpriseOptions(**options))


def descriptions(built: Built) -> list[str]:
    return [str(record["relationship_description"]) for record in built.records("vendors")]


@pytest.mark.slow
def test_a_faithful_model_rewords_and_changes_nothing_else(tmp_path: Path) -> None:
    lm = model(turned)
    new, report = reword_records(small(), VENDORS, 7, lm, tmp_path)
    counted = report["sources"]["vendors"]
    changed = sum(old != text for old, text in zip(descriptions(small()), descriptions(new), strict=True))
    assert changed == counted["texts_reworded"] == counted["lines_reworded"] > 10
    assert counted["lines"] == counted["lines_reworded"] + sum(counted["lines_kept"].values())
    assert {name: rows for name, rows in new.rows.items() if name != "vendors"} == {
        name: rows for name, rows in small().rows.items() if name != "vendors"
    }
    assert verify(new) == []
    assert reword_records(small(), VENDORS, 7, lm, tmp_path) == (new, report)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda text: turned(text).replace(" days", " weeks", 1),
        lambda text: re.sub(r" (20\d\d)\.", lambda year: f" {int(year[1]) + 1}.", turned(text)),
        lambda text: " ".join(sentences(text)[:-4]),
        lambda text: f"{turned(text)} So says Meera Joshi.",
        lambda text: f"{turned(text)} They granted 99 per cent once.",
    ],
)
def test_a_careless_model_changes_nothing(change: Callable[[str], str]) -> None:
    new, report = reword_records(small(), VENDORS, 7, model(change), None)
    assert descriptions(new) == descriptions(small())
    assert report["sources"]["vendors"]["texts_reworded"] == 0


@pytest.mark.slow
def test_the_model_sees_the_texts_of_records_and_no_other_value() -> None:
    lm = model(turned)
    reword_records(small(), VENDORS, 7, lm, None)
    texts = "\n".join(descriptions(small()))
    told = "\n".join(message["content"] for call in lm.history for message in call["messages"])
    for record in small().records("vendors"):
        secrets = {value for name, value in record.items() if name != "relationship_description" and value}
        assert str(record["relationship_description"]) in told
        assert not [one for one in secrets if len(one) > 6 and one in told and one not in texts]


@pytest.mark.slow
def test_a_world_says_who_reworded_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worksmith.evals.kinds.enterprise.suites.build", lambda *_, **__: small())
    monkeypatch.setattr("worksmith.evals.kinds.enterprise.generate.generate", lambda *_, **__: [])
    lm = model(turned)
    plain = EnterpriseOptions(scale=0.02)
    asked = plain.model_copy(update={"reword": "vendors", "writer": "any"})

    def made(name: str, options: EnterpriseOptions) -> World:
        said: list[str] = []
        context = BuildContext(said.append, lambda _: lm, tmp_path / "replies")
        world = BUILDER.build(tmp_path / name, options, context).world
        assert any(one.startswith("vendors: ") for one in said) == (options.writer is not None)
        return world

    before, after, again = made("plain", plain), made("asked", asked), made("again", asked)
    assert (before.manifest.writer, after.manifest.writer) == ("", signature_of(lm))
    assert after.manifest.digest == again.manifest.digest != before.manifest.digest
    report = json.loads((tmp_path / "asked" / REPORT_FILE).read_text())
    assert report["writer"] == signature_of(lm)
    assert report["sources"]["vendors"]["texts"] == 20
    assert not (tmp_path / "plain" / REPORT_FILE).exists()


def test_a_larger_share_has_the_records_of_a_smaller_one() -> None:
    some, more = (Choice.of("vendors,tickets", share).texts(1.0) for share in (0.25, 0.5))
    assert some == {"vendors": 100, "tickets": 82}
    assert more == {"vendors": 200, "tickets": 164}


def test_options_that_are_left_out_need_no_writer() -> None:
    options = EnterpriseOptions()
    assert EnterpriseOptions(**options.model_dump()).choice() is None
    assert EnterpriseOptions(writer="any").choice() == Choice(tasks=True, sources=())


def test_a_forecast_counts_calls_and_tokens_by_source() -> None:
    tasks = forecast(writer="any")
    records, both = (
        forecast(writer="any", reword=wanted, reword_share=0.1)
        for wanted in ("vendors,mail", "tasks,vendors,mail")
    )
    assert records["calls_at_most"] == {"mail": 450, "vendors": 40}
    assert both["calls_at_most"] == tasks["calls_at_most"] | records["calls_at_most"]
    for figure in ("model_calls_at_most", "prompt_tokens_at_most", "completion_tokens_at_most"):
        assert both[figure] == tasks[figure] + records[figure] > tasks[figure] > 0


@each_row(
    ("options", "said"),
    [
        ({"reword": "records"}, "--reword: no model is named"),
        ({"reword_share": 0.5}, "--reword-share: no model is named"),
        ({"writer": "any", "reword_share": 0.5}, "--reword-share: no records are reworded"),
        ({"writer": "any", "reword": "mail,orders"}, "no source 'orders'"),
        ({"writer": "any", "reword": "mail,"}, "no source ''"),
    ],
)
def test_wrong_choices_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        forecast(**options)
    assert said in str(raised.value)
