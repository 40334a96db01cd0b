"""Requests in one batch have the replies that each has alone by transformers' own generation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.worksmith.training.tiny import write_tiny_model

pytestmark = pytest.mark.slow

MOST = 12


def test_a_batch_gives_what_each_request_gets_alone(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    from worksmith.models.transformer.batches import Batches
    from worksmith.models.transformer.sampling import Sampling
    from worksmith.models.transformer.weights import Weights

    folder = write_tiny_model(tmp_path / "model")
    batches = Batches(Weights(folder), "cpu")
    # Longer than a step takes, of equal beginnings, and shorter than a page.
    texts = ["word " * 400, *("word " * 60 + end for end in "abcd"), "a", "b c"]
    prompts = [batches.tokens([{"role": "user", "content": text}]) for text in texts]

    def reply(prompt: list[int]) -> list[int]:
        return batches.generate(prompt, Sampling(0.0, 1.0, 0, ()), most=MOST)

    with ThreadPoolExecutor(len(prompts)) as pool:
        found = [*pool.map(reply, prompts)]
    assert [*map(reply, prompts)] == found

    alone = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    for prompt, said in zip(prompts, found, strict=True):
        expected = alone.generate(
            torch.tensor([prompt]), max_new_tokens=MOST, do_sample=False, eos_token_id=list(batches.ends)
        )
        assert expected[0, len(prompt) :].tolist() == said
