"""A GGUF file with a model of two layers and random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.worksmith.training.tiny import TEMPLATE, tiny_tokenizer

WITH_TOOLS = (
    "{% if tools %}Tools:{% for tool in tools %} {{ tool | tojson }}{% endfor %}\n"
    "Call as <tool_call>{}</tool_call>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>"
    "{% endfor %}"
    "<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_gguf(
    file: Path,
    *,
    template: str | None = TEMPLATE,
    architecture: str = "llama",
    window: int | None = 256,
    tokenizer: bool = True,
    left_out: str = "",
) -> Path:
    """Write the file; `left_out` is a tensor that it lacks."""
    import numpy as np
    from gguf import GGUFWriter

    writer = GGUFWriter(str(file), architecture)
    if window:
        writer.add_context_length(window)
    for add, value in (
        (writer.add_embedding_length, 32),
        (writer.add_block_count, 2),
        (writer.add_feed_forward_length, 64),
        (writer.add_head_count, 4),
        (writer.add_head_count_kv, 2),
        (writer.add_rope_dimension_count, 8),
    ):
        add(value)
    writer.add_layer_norm_rms_eps(1e-5)
    words = _add_tokenizer(writer) if tokenizer else 300
    if template is not None:
        writer.add_chat_template(template)
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (words, 32), "output_norm.weight": (32,)}
    for layer in range(2):
        for part, shape in (
            ("attn_norm", (32,)),
            ("attn_q", (32, 32)),
            ("attn_k", (16, 32)),
            ("attn_v", (16, 32)),
            ("attn_output", (32, 32)),
            ("ffn_norm", (32,)),
            ("ffn_gate", (64, 32)),
            ("ffn_up", (64, 32)),
            ("ffn_down", (32, 64)),
        ):
            shapes[f"blk.{layer}.{part}.weight"] = shape
    draw = np.random.default_rng(0)
    for name, size in shapes.items():
        if name != left_out:
            writer.add_tensor(name, draw.normal(1 if len(size) == 1 else 0, 0.3, size).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _add_tokenizer(writer: Any) -> int:
    """Add the words; gives their number."""
    tokenizer = tiny_tokenizer()
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3 if word.startswith("<|") else 1 for word in words])
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_unk_token_id(tokenizer.unk_token_id)
    return len(words)
