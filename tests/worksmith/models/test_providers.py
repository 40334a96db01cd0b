"""Models whose provider there is not are refused before anything is asked."""

from __future__ import annotations

import pytest

from worksmith.models.named import use_models
from worksmith.models.resolve import model_label, resolve
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "ollama_chat/llama3.2", "hosted_vllm/of/ours"])
def test_names_of_any_model_of_a_provider_are_taken(name: str) -> None:
    assert resolve(name).model == name


@pytest.mark.slow
def test_a_provider_that_there_is_not_is_told_before_any_request() -> None:
    with pytest.raises(InputError, match="no provider 'openia'"):
        resolve("openia/gpt-4o-mini")


def test_a_model_that_is_no_language_model_is_marked_wherever_it_runs() -> None:
    rules = ["local/analogy", "local/analogy@0123", "openai/local/analogy", "served"]
    models = ["student", "openai/gpt"]
    use_models({"served": NamedModel(model=rules[2]), "student": NamedModel(model=models[1])})
    try:
        marked = [name for name in rules + models if "no language model" in model_label(name)]
    finally:
        use_models({})

    assert marked == rules
