"""Attention of requests in one batch, each over the segments of its own sequence.

Requests that share a segment read its keys and values together, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from transformers import AttentionInterface

from worksmith.models.transformer.prefixes import Layers, Segment

NAME = "worksmith_by_segment"

_UNKNOWN = ("s_aux",)
"""Arguments of forms of attention that are not computed here."""


class Own:
    """Keys and values of a request's own tokens.

    Args:
        room: the number of tokens that there is room for at first.
    """

    def __init__(self, room: int) -> None:
        self.known = 0
        self._room = room
        self._layers: Layers = []

    def write(
        self, layer: int, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """All keys and values of a layer, with those of new tokens, which follow the known ones."""
        if layer == len(self._layers):
            empty = keys[:, :0], values[:, :0]
            self._layers.append((_grown(empty[0], self._room), _grown(empty[1], self._room)))
        end = self.known + keys.shape[1]
        kept_keys, kept_values = self._layers[layer]
        if end > kept_keys.shape[1]:
            kept_keys, kept_values = _grown(kept_keys, 2 * end), _grown(kept_values, 2 * end)
            self._layers[layer] = kept_keys, kept_values
        kept_keys[:, self.known : end] = keys
        kept_values[:, self.known : end] = values
        return kept_keys[:, :end], kept_values[:, :end]

    def layers(self) -> Layers:
        """Keys and values of the known tokens."""
        return [(_trimmed(keys, self.known), _trimmed(values, self.known)) for keys, values in self._layers]


@dataclass(frozen=True, eq=False)
class Part:
    """A request's share of a step.

    Attributes:
        new: where its new tokens stand in the step.
        places: their positions in the request.
        start: the position of the first of its own tokens.
        path: the segments before them.
    """

    new: slice
    places: range
    start: int
    path: Sequence[Segment]
    own: Own


_Seen = tuple[torch.Tensor, torch.Tensor]
"""What queries found in some keys: outputs (groups, queries, size), and logarithms of the sums of weights."""


def _by_segment(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    *,
    parts: Sequence[Part],
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers calls it: shapes (1, heads, tokens, size), the requests end to end."""
    if any(kwargs.get(name) is not None for name in _UNKNOWN):
        raise NotImplementedError(f"attention of {type(module).__name__}")
    _, heads, tokens, size = query.shape
    layer, groups = module.layer_idx, key.shape[1]
    # Queries that share keys become neighbours, for keys are not copied then.
    packed = query.reshape(groups, heads // groups, tokens, size).transpose(1, 2)
    look = partial(
        _look, scale=size**-0.5 if scaling is None else scaling, cap=softcap, window=sliding_window
    )
    seen: dict[Part, list[_Seen]] = {part: [] for part in parts}
    for segment, readers in _readers(parts):
        asked = torch.cat([packed[:, part.new] for part in readers], dim=1)
        places = [place for part in readers for place in part.places]
        outputs, sums = look(asked, *segment.layers[layer], places=places, start=segment.start)
        lengths = [len(part.places) * heads // groups for part in readers]
        for part, *each in zip(readers, outputs.split(lengths, 1), sums.split(lengths, 1), strict=True):
            seen[part].append((each[0], each[1]))
    result = torch.empty_like(packed)
    for part in parts:
        asked, known = packed[:, part.new], part.own.known
        keys, values = part.own.write(layer, key[0, :, part.new], value[0, :, part.new])
        if len(part.places) == 1:
            seen[part].append(look(asked, keys, values, places=part.places, start=part.start))
        else:
            if known:
                before = keys[:, :known], values[:, :known]
                seen[part].append(look(asked, *before, places=part.places, start=part.start))
            new = keys[:, known:], values[:, known:]
            seen[part].append(look(asked, *new, places=part.places, start=part.places[0], causal=True))
        result[:, part.new] = _joined(seen[part]).reshape(asked.shape)
    return result.transpose(0, 1).reshape(1, tokens, heads, size), None


def _readers(parts: Sequence[Part]) -> Iterable[tuple[Segment, list[Part]]]:
    """Each segment with the requests that look at it."""
    found: defaultdict[Segment, list[Part]] = defaultdict(list)
    for part in parts:
        for segment in part.path:
            found[segment].append(part)
    return found.items()


def _look(
    asked: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    *,
    scale: float,
    cap: float | None,
    window: int | None,
    places: Sequence[int],
    start: int,
    causal: bool = False,
) -> _Seen:
    """What queries (groups, tokens, queries of a group, size) find in keys (groups, tokens, size).

    Args:
        cap: the bound that weights are bent to before they are compared.
        window: how many tokens a query looks back.
        places: positions of the queries' tokens.
        start: that of the first key.
        causal: the keys are those of the same tokens as the queries, which look at earlier ones alone.
    """
    groups, tokens, shared, size = asked.shape
    hidden = window is not None and max(places) - start >= window
    if asked.device.type == "cpu" and cap is None and not hidden:
        if not causal:
            flat = asked.reshape(1, groups, tokens * shared, size)
            outputs, sums = _FUSED(flat, keys[None], values[None], scale=scale)
            return outputs[0], sums[0]
        flat = asked.transpose(1, 2).reshape(1, groups * shared, tokens, size)
        copies = (each.repeat_interleave(shared, 0)[None] for each in (keys, values))
        outputs, sums = _FUSED(flat, *copies, is_causal=True, scale=scale)
        outputs = outputs.reshape(groups, shared, tokens, size).transpose(1, 2)
        sums = sums.reshape(groups, shared, tokens).transpose(1, 2)
        return outputs.reshape(groups, tokens * shared, size), sums.reshape(groups, tokens * shared)
    weights = (asked.reshape(groups, tokens * shared, size) @ keys.transpose(1, 2)).float() * scale
    if cap is not None:
        weights = (weights / cap).tanh() * cap
    if causal or hidden:
        at = torch.tensor(places, device=asked.device).repeat_interleave(shared)[:, None]
        of_keys = torch.arange(start, start + keys.shape[1], device=asked.device)
        unseen = of_keys > at if causal else torch.zeros_like(of_keys > at)
        unseen = unseen | (of_keys <= at - window) if window is not None else unseen
        weights = weights.masked_fill(unseen, float("-inf"))
    sums = weights.logsumexp(-1)
    return (weights - sums[..., None]).exp().nan_to_num().to(values.dtype) @ values, sums


def _joined(seen: Sequence[_Seen]) -> torch.Tensor:
    """The outputs over all keys, from those over parts of them."""
    if len(seen) == 1:
        return seen[0][0]
    shares = torch.stack([sums for _, sums in seen]).float().softmax(0)[..., None]
    return (torch.stack([outputs for outputs, _ in seen]) * shares).sum(0)


def _trimmed(kept: torch.Tensor, length: int) -> torch.Tensor:
    return kept if kept.shape[1] == length else kept[:, :length].clone()


def _grown(kept: torch.Tensor, room: int) -> torch.Tensor:
    return torch.cat([kept, kept.new_empty(kept.shape[0], room - kept.shape[1], kept.shape[2])], dim=1)


_FUSED = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
"""Attention of CPUs that gives the sums of weights as well."""

AttentionInterface.register(NAME, _by_segment)
