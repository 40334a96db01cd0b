"""Models whose provider there is not are refused before anything is asked."""

from __future__ import annotations

import pytest

from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "ollama_chat/llama3.2", "hosted_vllm/of/ours"])
def test_names_of_any_model_of_a_provider_are_taken(name: str) -> None:
    assert resolve(name).model == name


@pytest.mark.slow
def test_a_provider_that_there_is_not_is_told_before_any_request() -> None:
    with pytest.raises(InputError, match="no provider 'openia'"):
        resolve("openia/gpt-4o-mini")
