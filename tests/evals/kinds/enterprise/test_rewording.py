"""Records reworded by a model: what changes in a world, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.kinds.enterprise.rewording import REPORT_FILE, Choice, reword_records
from evals.kinds.enterprise.suites import BUILDER, EnterpriseOptions
from evals.tasks.building import BuildContext
from tests.tools.kinds.enterprise.generate.checks.verify import verify
from tests.tools.kinds.enterprise.generate.worlds import small
from tools.errors import InputError
from tools.kinds.enterprise.generate import Built
from tools.kinds.enterprise.stated.particulars import sentences
from tools.world import World

ALL = Choice.of(1, "vendors")


def backwards(text: str) -> str:
    """The same sentences, the last one first: a rewording that loses nothing."""
    return " ".join(reversed(sentences(text)))


def model(change: Callable[[str], str]) -> Any:
    """A model that changes the descriptions of vendors like that."""
    from dspy.utils import DummyLM

    texts = [str(record["relationship_description"]) for record in small().records("vendors")]
    return DummyLM({text: {"reworded": change(text)} for text in texts})


def forecast(**options: Any) -> dict[str, int]:
    return BUILDER.forecast(EnterpriseOptions(**options))


def descriptions(built: Built) -> list[str]:
    return [str(record["relationship_description"]) for record in built.records("vendors")]


@pytest.mark.slow
def test_a_faithful_model_rewords_and_changes_nothing_else(tmp_path: Path) -> None:
    new, report = reword_records(small(), ALL, 7, model(backwards), tmp_path)
    assert descriptions(new) == [backwards(text) for text in descriptions(small())]
    assert report["sources"] == {"vendors": {"chosen": 20, "reworded": 20, "kept": {}}}
    assert {name: rows for name, rows in new.rows.items() if name != "vendors"} == {
        name: rows for name, rows in small().rows.items() if name != "vendors"
    }
    assert verify(new) == []
    again, said = reword_records(small(), ALL, 7, model(str.upper), tmp_path)
    assert (again, said) == (new, report)  # the replies are kept


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda text: backwards(text).replace(" days", " weeks", 1),
        lambda text: re.sub(r" (20\d\d)\.", lambda year: f" {int(year[1]) + 1}.", backwards(text)),
        lambda text: " ".join(sentences(text)[:-4]),
        lambda text: f"{backwards(text)} So says Meera Joshi.",
        lambda text: f"{backwards(text)} They granted 99 per cent once.",
    ],
)
def test_a_careless_model_changes_nothing(change: Callable[[str], str]) -> None:
    new, report = reword_records(small(), ALL, 7, model(change), None)
    counted = report["sources"]["vendors"]
    changed = sum(old != text for old, text in zip(descriptions(small()), descriptions(new), strict=True))
    assert changed == counted["reworded"] == 20 - sum(counted["kept"].values())
    assert verify(new) == []
    assert counted["reworded"] == 0


@pytest.mark.slow
def test_a_world_says_who_reworded_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.kinds.enterprise.suites.build", lambda *_: small())
    monkeypatch.setattr("evals.kinds.enterprise.generate.generate", lambda *_, **__: [])
    plain = EnterpriseOptions(scale=0.02)
    asked = plain.model_copy(update={"rewrite_records": 1.0, "rewrite_sources": "vendors", "writer": "any"})

    def made(name: str, options: EnterpriseOptions) -> World:
        said: list[str] = []
        context = BuildContext(said.append, lambda _: model(backwards), tmp_path / "replies")
        world = BUILDER.build(tmp_path / name, options, context).world
        assert ("vendors: 20 of 20 texts are reworded" in said) == bool(options.rewrite_records)
        return world

    before, after, again = made("plain", plain), made("asked", asked), made("again", asked)
    assert (before.manifest.writer, after.manifest.writer) == ("", "dummy")
    assert after.manifest.digest == again.manifest.digest != before.manifest.digest
    assert json.loads((tmp_path / "asked" / REPORT_FILE).read_text())["sources"]["vendors"]["reworded"] == 20
    assert not (tmp_path / "plain" / REPORT_FILE).exists()


def test_a_larger_share_has_the_records_of_a_smaller_one() -> None:
    some, more = (Choice(share, ("vendors", "tickets")).texts(1.0) for share in (0.25, 0.5))
    assert some == {"vendors": 100, "tickets": 82}
    assert more == {"vendors": 200, "tickets": 164}


def test_a_forecast_counts_calls_and_tokens_of_records() -> None:
    tasks, both = (
        BUILDER.forecast(
            EnterpriseOptions(writer="any", rewrite_records=share, rewrite_sources="vendors,mail")
        )
        for share in (0, 0.1)
    )
    assert both["texts_of_records"] == 40 + 450
    assert both["model_calls_at_most"] == tasks["model_calls_at_most"] + 2 * 490
    assert both["prompt_tokens_at_most"] > tasks["prompt_tokens_at_most"] > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rewrite_records": 0.5}, "--rewrite-records: no model is named"),
        ({"rewrite_sources": "mail"}, "--rewrite-sources: no model is named"),
        ({"writer": "any", "rewrite_records": 1, "rewrite_sources": "mail,orders"}, "no source 'orders'"),
    ],
)
def test_wrong_choices_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        forecast(**options)
    assert said in str(raised.value)
