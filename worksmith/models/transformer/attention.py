"""Attention of requests in one batch, each over its own sequence.

Requests that share a segment read its keys and values together, once. The last tokens of many requests are
rows of a table, which is read in one piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import torch
from transformers import AttentionInterface

from worksmith.models.transformer.prefixes import Segment
from worksmith.models.transformer.tables import Table

NAME = "worksmith_by_segment"

_UNKNOWN = ("s_aux",)
"""Arguments of forms of attention that are not computed here."""


class RequestShare(NamedTuple):
    """A request's share of a step.

    Attributes:
        places: the positions of its new tokens.
        path: the segments before its row.
        table: where its last tokens are.
        row: that of the table.
        start: the position of the first token of the row.
    """

    places: range
    path: Sequence[Segment]
    table: Table
    row: int
    start: int


@dataclass(eq=False)
class _Sight:
    """Queries and keys by their positions: a query sees the keys before it, and its own.

    Attributes:
        queries: of shape (batch, queries).
        keys: of shape (batch or 1, keys).
        earlier: whether all keys come before all queries.
    """

    queries: torch.Tensor
    keys: torch.Tensor
    earlier: bool = False
    _masks: dict[int | None, torch.Tensor | None] = field(default_factory=dict)

    def mask(self, window: int | None, like: torch.Tensor) -> torch.Tensor | None:
        """Minus infinity where a query does not see a key, else 0; None if it sees all.

        Args:
            window: how many tokens a query looks back.
            like: the queries, a whole number of heads for each, of shape (batch, groups, rows, size).
        """
        if window not in self._masks:
            self._masks[window] = self._made(window, like)
        return self._masks[window]

    def _made(self, window: int | None, like: torch.Tensor) -> torch.Tensor | None:
        if self.earlier and window is None:
            return None
        back = self.queries[:, :, None] - self.keys[:, None]
        unseen = back < 0 if window is None else (back < 0) | (back >= window)
        if not unseen.any():
            return None
        heads = like.shape[2] // unseen.shape[1]
        mask = like.new_zeros(unseen.shape).masked_fill_(unseen, -torch.inf)
        return mask.repeat_interleave(heads, 1)[:, None]


class _Rows(NamedTuple):
    """Requests of one table.

    Attributes:
        span: their new tokens in the step.
        rows: the row of each new token.
        places: the place of each in its row.
        end: the end of the longest row.
        queries: new tokens by row, with any token where a row has fewer than others.
        back: where each new token stands in `queries`, which is laid out flat.
    """

    table: Table
    span: slice
    rows: torch.Tensor
    places: torch.Tensor
    end: int
    queries: torch.Tensor
    back: torch.Tensor
    sight: _Sight


class _Run(NamedTuple):
    """Requests, next to each other in the step, that share a segment.

    Attributes:
        level: the number of the segment in their paths, from 1.
        span: their new tokens in the step.
    """

    level: int
    segment: Segment
    span: slice
    sight: _Sight


class Step:
    """The requests of a step, prepared for all layers.

    Args:
        parts: their new tokens follow each other in this order. Those of a table must be neighbours, and
            those that share a segment should be.
    """

    def __init__(self, parts: Sequence[RequestShare], device: torch.device) -> None:
        ends = [*accumulate((len(part.places) for part in parts), initial=0)]
        shares = [*zip(parts, map(slice, ends, ends[1:]), strict=True)]
        self.levels = 1 + max(len(part.path) for part in parts)
        self.places = torch.tensor([place for part in parts for place in part.places], device=device)
        self.rows: list[_Rows] = []
        self.runs: list[_Run] = []
        for table, found in groupby(shares, key=lambda each: each[0].table):
            self.rows.append(_rows(table, [*found], device))
        for level in range(1, self.levels):
            for segment, found in groupby(shares, key=partial(_segment, level)):
                if segment is not None:
                    members = [span for _, span in found]
                    span = slice(members[0].start, members[-1].stop)
                    keys = torch.arange(segment.start, segment.end, device=device)
                    sight = _Sight(self.places[None, span], keys[None], earlier=True)
                    self.runs.append(_Run(level, segment, span, sight))


def _segment(level: int, each: tuple[RequestShare, slice]) -> Segment | None:
    path = each[0].path
    return path[level - 1] if level <= len(path) else None


def _rows(table: Table, parts: Sequence[tuple[RequestShare, slice]], device: torch.device) -> _Rows:
    most = max(len(part.places) for part, _ in parts)
    end = max(part.places.stop - part.start for part, _ in parts)
    queries = torch.zeros(1 + max(part.row for part, _ in parts), most, dtype=torch.long)
    seen_from = torch.zeros_like(queries)
    rows: list[int] = []
    places: list[int] = []
    back: list[int] = []
    for part, span in parts:
        count = len(part.places)
        first = part.places.start - part.start
        queries[part.row, :count] = torch.arange(span.start, span.stop)
        seen_from[part.row, :count] = torch.arange(first, first + count)
        rows += [part.row] * count
        places += range(first, first + count)
        back += range(part.row * most, part.row * most + count)
    return _Rows(
        table,
        slice(parts[0][1].start, parts[-1][1].stop),
        torch.tensor(rows, device=device),
        torch.tensor(places, device=device),
        end,
        queries.to(device),
        torch.tensor(back, device=device),
        _Sight(seen_from.to(device), torch.arange(end, device=device)[None]),
    )


def _by_segment(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    *,
    step: Step,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers calls it: shapes (1, heads, tokens, size), the requests end to end."""
    if any(kwargs.get(name) is not None for name in _UNKNOWN):
        raise NotImplementedError(f"attention of {type(module).__name__}")
    _, heads, tokens, size = query.shape
    groups = key.shape[1]
    shared = heads // groups
    # Queries that share keys become neighbours, for keys are not copied then.
    packed = query.reshape(groups, shared, tokens, size).transpose(1, 2).contiguous()
    look = partial(
        _look, scale=size**-0.5 if scaling is None else scaling, cap=softcap, window=sliding_window
    )
    outputs = packed.new_zeros(step.levels, *packed.shape)
    sums = packed.new_full((step.levels, *packed.shape[:-1]), -torch.inf, dtype=torch.float32)
    for each in step.rows:
        new = (key[0, :, each.span], value[0, :, each.span])
        keys, values = each.table.write(module.layer_idx, *new, each.rows, each.places, end=each.end)
        count, most = each.queries.shape
        asked = packed[:, each.queries].transpose(0, 1).reshape(count, groups, most * shared, size)
        found, weights = look(asked, keys[:count], values[:count], sight=each.sight)
        by_token = (
            found.view(count, groups, most, shared, size).transpose(0, 1).reshape(groups, -1, shared, size)
        )
        outputs[0, :, each.span] = by_token[:, each.back]
        if step.levels > 1:
            by_token = (
                weights.reshape(count, groups, most, shared).transpose(0, 1).reshape(groups, -1, shared)
            )
            sums[0, :, each.span] = by_token[:, each.back]
    for run in step.runs:
        asked = packed[:, run.span]
        keys, values = run.segment.layers[module.layer_idx]
        flat = asked.reshape(1, groups, -1, size)
        found, weights = look(flat, keys[None], values[None], sight=run.sight)
        outputs[run.level, :, run.span] = found.view(asked.shape)
        sums[run.level, :, run.span] = weights.reshape(asked.shape[:-1])
    if step.levels > 1:
        outputs = (outputs * sums.softmax(0)[..., None]).sum(0, keepdim=True).to(query.dtype)
    return outputs[0].transpose(0, 1).reshape(1, tokens, heads, size), None


def _look(
    asked: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    *,
    sight: _Sight,
    scale: float,
    cap: float | None,
    window: int | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What queries find in keys, both of shape (batch, groups, count, size).

    Args:
        cap: the bound that weights are bent to before they are compared.
        window: how many tokens a query looks back.

    Returns:
        Outputs, and logarithms of the sums of weights, which compare what queries find in several places.
    """
    mask = sight.mask(window, asked)
    if asked.device.type == "cpu" and cap is None:
        found: tuple[torch.Tensor, torch.Tensor] = _FUSED(asked, keys, values, attn_mask=mask, scale=scale)
        return found
    weights = (asked @ keys.transpose(-1, -2)).float() * scale
    if cap is not None:
        weights = (weights / cap).tanh() * cap
    if mask is not None:
        weights = weights + mask
    sums = weights.logsumexp(-1)
    return (weights - sums[..., None]).exp().nan_to_num().to(values.dtype) @ values, sums


_FUSED = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
"""Attention of CPUs that gives the sums of weights as well."""

AttentionInterface.register(NAME, _by_segment)
