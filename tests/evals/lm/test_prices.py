"""Tables of prices: the user's own before the list, and clear words about a wrong one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import pytest

from tests.evals.reporting.tables.test_costs import result
from worksmith.evals.lm.prices import Prices, dollars, use_prices
from worksmith.evals.reporting.tables.costs import result_cost_grid
from worksmith.tools.errors import InputError

TABLE = '["openai/gpt-4o-mini"]\ninput = 2\noutput = 8.5\n\n["mine"]\ninput = 0\noutput = 0\n'


def table(directory: Path, text: str) -> Path:
    file = directory / "prices.toml"
    file.write_text(text)
    return file


def test_the_users_prices_go_before_the_list(tmp_path: Path) -> None:
    prices = Prices.read(table(tmp_path, TABLE))
    listed = dollars("openai/gpt-4o-mini", 1e6, 1e6)

    def in_use() -> str:
        use_prices(prices)
        assert dollars("openai/gpt-4o-mini", 1e6, 1e6) == pytest.approx(10.5)
        assert dollars("hosted/mine", 1e6, 1e6) == 0
        assert dollars("openai/gpt-4o", 1e6, 0) == Prices().price("openai/gpt-4o").of(1e6, 0)  # type: ignore[union-attr]
        assert dollars("openai/nobody-knows", 1, 1) is None
        return result_cost_grid(result("openai/gpt-4o-mini")).markdown()

    shown = copy_context().run(in_use)
    assert "| dollars | 2.0850 | 8.34 |" in shown
    assert prices.source in shown
    assert dollars("openai/gpt-4o-mini", 1e6, 1e6) == listed


def test_tokens_in_a_providers_cache_have_their_own_price(tmp_path: Path) -> None:
    text = (
        "[m]\ninput = 10\noutput = 20\ncached_input = 1\n\n[w]\ninput = 10\noutput = 20\ncache_write = 12\n"
    )
    of_table = Prices.read(table(tmp_path, text))
    tokens = (1e6, 1e6, 5e5, 2e5)

    assert of_table.price("m").of(*tokens) == pytest.approx(3 + 0.5 + 2 + 20)  # type: ignore[union-attr]
    assert of_table.price("w").of(*tokens) == pytest.approx(3 + 5 + 2.4 + 20)  # type: ignore[union-attr]
    claude, gpt = (Prices().price(name) for name in ("anthropic/claude-sonnet-4-5", "openai/gpt-4o-mini"))
    assert claude is not None
    assert claude.cached == pytest.approx(claude.prompt / 10)
    assert claude.cache_write == pytest.approx(claude.prompt * 1.25)
    assert gpt is not None
    assert gpt.cached == pytest.approx(gpt.prompt / 2)
    # The list does not know what writing costs with OpenAI, and says 0 of DeepSeek.
    assert gpt.cache_write is None
    assert Prices().price("deepseek/deepseek-chat").cache_write is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[m]\ninput = 1\n", "m: a price has an input and an output"),
        ("[m]\ninput = 1\noutput = 1\ncached = 1\n", "and nothing else"),
        ("[m]\ninput = 1\noutput = 1\ncached_input = -1\n", "cached_input is not a price: -1"),
        ("m = 1\n", "a price has an input and an output"),
        ('[m]\ninput = "1"\noutput = 1\n', "input is not a number: '1'"),
        ("[m]\ninput = true\noutput = 1\n", "input is not a number"),
        ("[m]\ninput = 1\noutput = -1\n", "output is not a price: -1"),
        ("[m]\ninput = nan\noutput = 1\n", "input is not a price: nan"),
        ("[m\n", "not a table of prices"),
    ],
)
def test_a_wrong_table_is_refused_with_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    file = table(tmp_path, text)
    with pytest.raises(InputError) as caught:
        Prices.read(file)
    assert says in str(caught.value)
    assert str(file) in str(caught.value)


@pytest.mark.slow
def test_no_list_of_prices_is_fetched_from_the_network() -> None:
    script = "import worksmith as ws; ws.evaluate; from dspy.clients import model_metadata as found; "
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM")}
    said = subprocess.run(
        [sys.executable, "-c", f"{script}print(found.source_info()['is_env_forced'])"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "True"
