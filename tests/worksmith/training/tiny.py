"""A model of 2 layers with random weights, and data for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TEMPLATE = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nBe brief<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""SmolLM2's, but for the words of the system."""


_TEXT = """[[ ## question ## ]]
red

[[ ## answer ## ]]
yes

[[ ## completed ## ]]
Your input fields are:
Your output fields are:
All interactions will be structured in the following way, with the appropriate values filled in.
In adhering to this structure, your objective is: Given the fields `question`, produce the fields `answer`.
Respond with the corresponding output fields, starting with the field, and then ending with the marker for.
"""
"""The words of DSPy's prompts, each of which becomes a token."""


def one_thread() -> None:
    """Compute on one core: threads of torch wait for each other where other tests are busy."""
    import torch

    torch.set_num_threads(1)


def tiny_tokenizer() -> Any:
    """The words of DSPy's prompts, bytes, and the three special tokens of SmolLM2."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        show_progress=False,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    inner.train_from_iterator([_TEXT] * 2, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        unk_token="<|endoftext|>",
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|im_end|>",
        chat_template=TEMPLATE,
    )


def write_tiny_model(folder: Path, *, window: int = 2_048, width: int = 32) -> Path:
    """Write the model; `window` is its context in tokens, `width` the size of a token's vector."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = tiny_tokenizer()
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=width,
            intermediate_size=2 * width,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=window,
            tie_word_embeddings=True,
            initializer_range=0.3,  # or frozen embeddings could tell no token from another
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def turn(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def sft_rows(count: int = 24) -> list[dict[str, Any]]:
    return [
        {"messages": [turn("user", f"Number {at % 8}?"), turn("assistant", "It is " + "ab"[at % 2] * 8)]}
        for at in range(count)
    ]


def dpo_rows(count: int = 16) -> list[dict[str, Any]]:
    return [
        {
            "prompt": [turn("user", f"Number {at % 8}?")],
            "chosen": [turn("assistant", "It is good")],
            "rejected": [turn("assistant", "It is bad, very bad")],
        }
        for at in range(count)
    ]


def write_rows(file: Path, rows: Iterable[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file
