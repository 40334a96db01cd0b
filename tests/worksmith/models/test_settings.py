"""Settings of models: from the project file or with the name, on the wire, in digests and in messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat_server import ChatServer, said
from worksmith.evals.dspy_programs.digests import model_digest, plain_settings
from worksmith.evals.lm.metering import metered
from worksmith.evals.lm.prices import Price, Prices, use_prices
from worksmith.evals.records.run_card import RunCard
from worksmith.jobs.measuring.measurement import with_settings_of
from worksmith.jobs.opening.budgets import open_budget
from worksmith.jobs.settings.compiling import CompileSettings
from worksmith.jobs.settings.programs import CompareSettings, EvaluateSettings
from worksmith.models.named import parted, read_models, settings_of, use_models, with_options
from worksmith.models.resolve import resolve
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import without_secrets

SECRET = "q7Zr93kLm20aXw"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("STUDENT", SECRET)
    yield
    use_models({})
    use_prices(Prices())


def use(**settings: Any) -> None:
    use_models(read_models({"student": {"model": "openai/gpt-4o-mini", **settings}}, where="worksmith.toml"))


def ask(lm: dspy.LM, server: ChatServer) -> dict[str, Any]:
    server.say(said("yes"))
    assert metered(lm)("Is it so?", cache=False) == ["yes"]
    return server.bodies[-1]


def test_settings_reach_the_server(server: ChatServer) -> None:
    use(api_base=server.url, api_key_env="STUDENT", temperature=0.5, reasoning_effort="low")
    lm = resolve("student temperature=0.25 seed=7 stop='the end' timeout=5 connect_timeout=2")
    sent = ask(lm, server)

    assert (sent["model"], sent["temperature"], sent["seed"]) == ("gpt-4o-mini", 0.25, 7)
    assert (sent["stop"], sent["reasoning_effort"]) == (["the end"], "low")
    assert {"timeout", "connect_timeout", "api_key"}.isdisjoint(sent)


def test_requests_go_through_the_proxy(server: ChatServer) -> None:
    use(api_base="http://model.invalid/v1", api_key_env="STUDENT", proxy=server.url.removesuffix("/v1"))

    assert ask(resolve("student"), server)["model"] == "gpt-4o-mini"
    assert "127.0.0.1" in os.environ["NO_PROXY"]
    with pytest.raises(InputError, match="another proxy"):
        resolve("openai/gpt-4o-mini proxy=http://elsewhere:3128")


@pytest.mark.slow
def test_headers_are_sent_and_their_values_kept_nowhere(server: ChatServer) -> None:
    use(api_base=server.url, api_key_env="STUDENT", headers={"X-Team": "STUDENT"})
    lm = resolve("student")
    ask(lm, server)
    kept = [str(plain_settings(lm)), str(lm.dump_state()), without_secrets(f"refused: {SECRET}")]

    assert server.headers[-1]["X-Team"] == SECRET
    assert not [text for text in kept if SECRET in text]
    assert plain_settings(lm)["extra_headers"] == ["X-Team"]
    assert isinstance(dspy.LM.load_state(lm.dump_state()), dspy.LM)


DECIDING = {
    "temperature": ("0.2", "temperature"),
    "max_tokens": ("77", "max_tokens"),
    "top_p": ("0.5", "top_p"),
    "seed": ("1", "seed"),
    "stop": ("end", "stop"),
    "reasoning_effort": ("low", "reasoning_effort"),
    "api": ("responses", "api"),
    "api_base": ("http://x/v1", "api_base"),
    "headers.X": ("STUDENT", "extra_headers"),
    "api_version": ("2024-10-21", "api_version"),
    "region": ("eu-west-1", "aws_region_name"),
    "constrained": ("json_schema", "constrained"),
}
"""Settings that decide a reply, each with a value and its name in a run card."""

OTHERS = {
    "api_key_env": "STUDENT",
    "proxy": "http://127.0.0.1:1",
    "timeout": "5",
    "connect_timeout": "2",
    "total_timeout": "60",
    "num_retries": "0",
    "retry_time": "9",
    "requests_per_minute": "60",
    "tokens_per_minute": "1000",
    "parallel": "4",
    "input_price": "1 output_price=2",
    "output_price": "2 input_price=1",
    "cached_input_price": "1 input_price=1 output_price=2",
    "cache_write_price": "1 input_price=1 output_price=2",
    "context_window": "1000",
    "prompt_cache": "false",
    "tool_calls": "true",
}
"""Settings that do not, each with a value."""

OWNERS = {"api_version": "azure/x", "region": "bedrock/x"}


def test_each_setting_is_known_to_decide_a_reply_or_not() -> None:
    known = {name.partition(".")[0] for name in [*DECIDING, *OTHERS]}

    # The precision is one of files alone; their tests see that it decides.
    assert known | {"model", "precision"} == set(NamedModel.model_fields)


def test_the_guide_lists_every_setting() -> None:
    page = Path(__file__).parents[3] / "docs/how-to/project-file.md"
    table = page.read_text(encoding="utf-8").partition("| key of `[models.NAME]` |")[2].partition("\n\n")[0]
    keys = [key for row in table.split("\n")[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])]

    assert sorted(keys) == sorted(NamedModel.model_fields)


@pytest.mark.parametrize(("setting", "value", "shown"), [(name, *each) for name, each in DECIDING.items()])
def test_what_decides_a_reply_is_in_digest_and_card(setting: str, value: str, shown: str) -> None:
    model = OWNERS.get(setting, "openai/gpt-4o-mini")
    plain, changed = resolve(model), resolve(f"{model} {setting}={value}")

    assert model_digest(plain) != model_digest(changed)
    assert shown in with_settings_of(changed, {})["model_settings"]
    assert shown not in with_settings_of(plain, {}).get("model_settings", {})


@pytest.mark.parametrize(("setting", "value"), OTHERS.items())
def test_what_decides_no_reply_is_in_neither(setting: str, value: str) -> None:
    plain, changed = (resolve(f"openai/gpt-4o-mini {more}") for more in ("", f"{setting}={value}"))

    assert model_digest(plain) == model_digest(changed)
    assert with_settings_of(plain, {}) == with_settings_of(changed, {})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai/x temperture=1", "did you mean 'temperature'"),
        ("openai/x temperature=hot", "temperature: Input should be a valid number"),
        ("openai/x temperature=3", "temperature"),
        ("openai/x temperature", "'temperature' is not a setting of a model"),
        ("openai/x seed=1 seed=2", "'seed' is given twice"),
        ("openai/x model=openai/y", "no setting 'model'"),
        ("openai/x input_price=1", "an input_price and an output_price"),
        ("openai/x cached_input_price=1", "need an input_price and an output_price"),
        ("openai/x headers.X-Team=NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE is not set"),
        ("openai/x proxy=http://me:word@host:1", "the file holds no log-in"),
        ("openai/x api_base=http://me:word@host/v1", "an address holds no log-in"),
        ("openai/x api_base=host", "an address is http://HOST"),
        ("openai/x proxy=socks5://host:1", "a proxy is http://HOST:PORT"),
        ("openai/x reasoning_effort=much", "reasoning_effort"),
        ("openai/x api=text", "api"),
        ("openai/x api=responses headers.X=STUDENT", "the Responses API of openai/x cannot be asked"),
        ("mistral/x api=responses", "the Responses API of mistral/x cannot be asked"),
        ("openai/x region=eu-west-1", "region is a setting of bedrock/ models only"),
        ("openai/x api_version=2024-10-21", "api_version is a setting of azure/ models only"),
        ("bedrock/x region='eu west'", "region"),
        ("openai/x context_window=10 max_tokens=20", "larger than the context_window"),
        ("openai/x stop='", "No closing quotation"),
        ("openai/o3-mini temperature=0.2", "temperature=1.0"),
        ("tests.standin:lm seed=1", "tests.standin:lm has no settings"),
        ("gold seed=1", "gold has no settings"),
    ],
)
def test_wrong_settings_are_named(name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(name)
    assert said in str(caught.value)


@settings(max_examples=30)
@given(st.text(min_size=1), st.text())
def test_any_value_of_an_option_comes_out_as_it_went_in(first: str, second: str) -> None:
    name = with_options("openai/x", [f"stop={first}", f"api_base={second}"])

    assert parted(name) == ("openai/x", {"stop": first, "api_base": second})


def test_options_of_a_command_go_with_its_models() -> None:
    options: dict[str, Any] = {"lm_option": ["temperature=0.2", "seed=1"]}
    compared = CompareSettings(suite="s", lm="openai/a,openai/b", teacher="openai/c", **options)
    compiled = CompileSettings(
        suite="s", out="o", lm="openai/a", teacher="openai/t", teacher_option=["seed=2"]
    )

    assert EvaluateSettings(suite="s", lm="openai/a", **options).lm == "openai/a temperature=0.2 seed=1"
    assert compared.lm == ("openai/a temperature=0.2 seed=1", "openai/b temperature=0.2 seed=1")
    assert (compiled.lm, compiled.teacher) == ("openai/a", "openai/t seed=2")
    assert compiled.adapted(EvaluateSettings).lm == "openai/a"
    assert "lm_option" not in EvaluateSettings(suite="s", lm="openai/a", **options).described()
    with pytest.raises(InputError, match="give --teacher"):
        CompileSettings(suite="s", out="o", teacher_option=["seed=2"])


def test_the_price_of_a_model_is_in_use() -> None:
    budget = open_budget(
        EvaluateSettings(suite="s", max_usd=1), [resolve("openai/of-ours input_price=2 output_price=4")]
    )

    assert budget is not None
    assert budget.prices.price("openai/of-ours") == Price(2e-6, 4e-6)
    cached = "input_price=2 output_price=4 cached_input_price=0.5 cache_write_price=2.5"
    assert settings_of(*parted(f"openai/of-ours {cached}")).price == Price(2e-6, 4e-6, 0.5e-6, 2.5e-6)
    models = {name: {"model": "openai/x", "input_price": 1, "output_price": n} for n, name in enumerate("ab")}
    with pytest.raises(InputError, match="two prices"):
        read_models(models, where="worksmith.toml")


@pytest.mark.parametrize(
    ("lm", "repeated"),
    [
        ("openai/x temperature=0.2 seed=1", True),
        ("openai/x api_base=http://elsewhere/v1", False),
        ("openai/x seed=1 proxy=http://elsewhere:1", False),
        ("openai/x headers.X=OPENAI_API_KEY", False),
        ("module:lm", False),
    ],
)
def test_a_card_offers_no_command_with_an_address(lm: str, repeated: bool) -> None:
    card = RunCard(label="a", suite="s", lm=lm, strategy="react")

    assert bool(card.rerun) == repeated


def test_options_come_before_the_project_file() -> None:
    use(temperature=0.5, headers={"X-A": "STUDENT"})
    changed = settings_of("student", {"temperature": "0.1", "headers.X-B": "STUDENT"})

    assert changed.temperature == 0.1
    assert changed.headers == {"X-A": "STUDENT", "X-B": "STUDENT"}


def test_a_run_card_has_the_settings_and_no_key() -> None:
    use(temperature=0.5, api_key_env="STUDENT", api_base="http://host/v1/", headers={"X-A": "STUDENT"})
    described = with_settings_of(resolve("student"), {"lm": "student"})

    assert described["model_settings"] == {
        "temperature": 0.5,
        "api_base": "http://host/v1",
        "extra_headers": ["X-A"],
    }
