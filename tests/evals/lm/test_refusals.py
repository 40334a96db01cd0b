"""A refused request is told with the setting that the provider names."""

from __future__ import annotations

import dspy
import pytest

from tests.chat_server import ChatServer
from tests.tables import each_row
from worksmith.evals.lm.failures import failure_of
from worksmith.evals.lm.metering import metered
from worksmith.evals.lm.refusals import refused_setting


@each_row(
    ("said", "setting"),
    [
        ("Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
        ("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'.", "max_tokens"),
        ("`temperature` and `top_p` cannot both be specified for this model.", "temperature"),
        ('Invalid JSON payload received. Unknown name "seed": Cannot find field.', "seed"),
        ("openai does not support parameters: ['reasoning_effort'], for model=x", "reasoning_effort"),
        ("stop_sequences: each stop sequence must contain non-whitespace", "stop"),
        ("'stop' is not supported with this model", "stop"),
        ("cache_control: Extra inputs are not permitted", "prompt_cache"),
        ("You invoked an unsupported model or your request did not allow prompt caching.", "prompt_cache"),
        ("messages: the last one must be of the user; please stop and think", None),
    ],
)
def test_the_setting_is_found_in_what_providers_say(said: str, setting: str | None) -> None:
    assert refused_setting(said) == setting


def test_an_episode_s_error_begins_with_the_setting(server: ChatServer) -> None:
    server.say({"error": 400, "said": "Unsupported parameter: 'top_p' is not supported with this model."})
    lm = dspy.LM("openai/x", api_base=server.url, api_key="sk-test", top_p=0.5, cache=False)
    with pytest.raises(Exception, match="top_p") as caught:
        metered(lm)("Is it so?")
    ended = failure_of(caught.value)

    assert ended.status == "invalid_request"
    assert str(ended.error).startswith(
        "the model refuses its setting top_p, which can be changed or left out"
    )
