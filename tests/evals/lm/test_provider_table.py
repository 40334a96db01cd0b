"""The guide claims of providers what the replayed responses show, and its settings can be opened."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.evals.lm.provider_fixtures import apis, fixture
from worksmith.models.named import read_models, use_models
from worksmith.models.resolve import resolve

PAGE = (Path(__file__).parents[3] / "docs/how-to/providers.md").read_text(encoding="utf-8")
COLUMNS = (
    "text",
    "tool calls",
    "reasoning",
    "usage",
    "cached tokens",
    "finish reason",
    "rate-limit wait",
    "refused parameter",
)
BLOCKS = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def no_models() -> Iterator[None]:
    yield
    use_models({})


def shown(api: str) -> dict[str, bool]:
    """What the responses of an API show, by column."""
    replies, errors = fixture(api)["replies"], fixture(api)["errors"]

    def any_error(expected: str) -> bool:
        return any(expected in case["expect"] for case in errors.values())

    has: list[bool] = [
        "text" in replies,
        {"tool_call", "parallel_calls", "text_and_call"} <= set(replies),
        "reasoning" in replies,
        "prompt" in replies["text"]["expect"],
        "cached" in replies,
        "length" in replies,
        any_error("wait"),
        any_error("setting"),
    ]
    return dict(zip(COLUMNS, has, strict=True))


def name(api: str) -> str:
    model: dict[str, Any] = fixture(api)["model"]
    settings = [f'`{key} = "{model[key]}"`' for key in ("api", "api_version") if key in model]
    return ", ".join([f"`{model['model'].partition('/')[0]}/`", *settings])


def row(api: str) -> str:
    cells = ("fixture" if has else "not checked" for has in shown(api).values())
    return f"| {' | '.join([name(api), *cells])} |"


def test_the_table_claims_what_the_fixtures_show() -> None:
    table = PAGE[PAGE.index("| models | text |") :].partition("\n\n")[0].split("\n")

    assert table[0] == f"| models | {' | '.join(COLUMNS)} |"
    assert sorted(table[2:-1]) == sorted(map(row, apis()))
    assert set(table[-1].split(" | ")[1:]) == {"not checked", "not checked |"}


def test_every_response_names_its_documentation() -> None:
    for api in apis():
        assert fixture(api)["documentation"]
        assert all(url.startswith("https://") for url in fixture(api)["documentation"])


@pytest.mark.parametrize("block", BLOCKS)
def test_the_settings_shown_can_be_opened(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sections = tomllib.loads(block)["models"]
    for settings in sections.values():
        for variable in (settings.get("api_key_env"), *settings.get("headers", {}).values()):
            if variable:
                monkeypatch.setenv(variable, "q7Zr93kLm20aXw")
    use_models(read_models(sections, where="worksmith.toml"))

    assert [resolve(each).model for each in sections] == [each["model"] for each in sections.values()]
