"""Attention of examples in one batch, each over its own tokens: no mask, so that a batch may be long."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

BY_EXAMPLE = "worksmith_by_example"


def by_example(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    *,
    scaling: float | None = None,
    cu_seq_lens_q: torch.Tensor | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers calls it: shapes (batch, heads, tokens, size), packed examples end to end."""
    lengths = [query.shape[2]] if cu_seq_lens_q is None else cu_seq_lens_q.diff().tolist()
    # Split, not sliced: the gradient of a slice is as long as the whole batch.
    queries, keys, values = (each.split(lengths, dim=2) for each in (query, key, value))
    shared = query.shape[1] != key.shape[1]
    found = [
        scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling, enable_gqa=shared)
        for q, k, v in zip(queries, keys, values, strict=True)
    ]
    return torch.cat(found, dim=2).transpose(1, 2).contiguous(), None
