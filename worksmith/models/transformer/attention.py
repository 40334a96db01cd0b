"""Attention of requests in one batch, each over its own tokens.

In a batch of transformers' own, every request is compared with the tokens of all, and a mask takes the others
out again. With eight requests that is seven eighths of the work.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

_NAME = "worksmith_by_request"

_FULL = "full_attention"


def attend_by_request(model: Any) -> None:
    """Let a model whose batches are set up attend by request, unless it has other forms of attention."""
    config = model.config
    plain = set(getattr(config, "layer_types", None) or [_FULL]) == {_FULL}
    windowed = getattr(config, "sliding_window", None) or getattr(config, "attn_logit_softcapping", None)
    if plain and not windowed and config._attn_implementation == "sdpa":
        AttentionInterface.register(_NAME, _by_request)
        model.set_attn_implementation(_NAME)


def _by_request(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    *,
    cache: Any,
    cu_seq_lens_q: torch.Tensor,
    scaling: float | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers calls it: shapes (1, heads, tokens, size), the requests end to end."""
    # It also puts the lengths of this layer's keys into the arguments.
    key, value = cache.update(key_states=key, value_states=value, layer_idx=module.layer_idx, kwargs=kwargs)
    asking, asked = pairwise(cu_seq_lens_q.tolist()), pairwise(kwargs["cu_seq_lens_k"].tolist())
    found = [
        _one(query[:, :, a:b], key[:, :, c:d], value[:, :, c:d], scaling)
        for (a, b), (c, d) in zip(asking, asked, strict=True)
    ]
    return torch.cat(found, dim=2).transpose(1, 2).contiguous(), None


def _one(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float | None) -> torch.Tensor:
    """The last tokens of a request over all of its tokens."""
    _, heads, new, size = query.shape
    groups, known = key.shape[1:3]
    if new == 1:  # the queries that share keys become tokens, for keys are not copied then
        packed = query.reshape(1, groups, heads // groups, size)
        return scaled_dot_product_attention(packed, key, value, scale=scaling).reshape(1, heads, 1, size)
    mask = None if new == known else torch.ones(new, known, dtype=torch.bool).tril(known - new)
    return scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, scale=scaling, enable_gqa=heads != groups
    )
