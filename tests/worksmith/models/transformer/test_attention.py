"""Requests in one batch have the replies that each has alone by transformers' own generation."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.worksmith.training.tiny import one_thread, write_tiny_model

pytestmark = pytest.mark.slow

MOST = 24


def plain(folder: Path) -> None:
    """The model as it is."""


def windowed(folder: Path) -> None:
    """Layers that look back 40 tokens, others that look at all, and bounded weights."""
    import torch
    from transformers import Gemma2Config, Gemma2ForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(3)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "head_dim": 8}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "sliding_window": 40}
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    ends = {"bos_token_id": None, "pad_token_id": None, "eos_token_id": tokenizer.eos_token_id}
    config = Gemma2Config(vocab_size=len(tokenizer), initializer_range=0.4, **size, **heads, **ends)
    Gemma2ForCausalLM(config).save_pretrained(folder)


@pytest.mark.parametrize("change", [plain, windowed])
def test_a_batch_gives_what_each_request_gets_alone(change: Callable[[Path], None], tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    from worksmith.models.transformer.batches import Batches
    from worksmith.models.transformer.sampling import Sampling
    from worksmith.models.transformer.weights import Weights

    one_thread()
    folder = write_tiny_model(tmp_path / "model")
    change(folder)
    batches = Batches(Weights(folder), "cpu")
    # Longer than a step takes, of equal beginnings, and of one word; more than a batch takes.
    texts = ["word " * 400, *("word " * 60 + end for end in "abcd"), "a", "b c", "word " * 30, "word x " * 30]
    prompts = [batches.tokens([{"role": "user", "content": text}]) for text in texts]

    def reply(prompt: list[int]) -> list[int]:
        return batches.generate(prompt, Sampling(0.0, 1.0, 0, ()), most=MOST)

    with ThreadPoolExecutor(len(prompts)) as pool:
        found = [*pool.map(reply, prompts)]
    assert [*map(reply, prompts)] == found

    alone = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    for prompt, said in zip(prompts, found, strict=True):
        expected = alone.generate(
            torch.tensor([prompt]), max_new_tokens=MOST, do_sample=False, eos_token_id=list(batches.ends)
        )
        assert expected[0, len(prompt) :].tolist() == said
