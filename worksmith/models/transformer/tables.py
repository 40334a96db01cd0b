"""Keys and values of the last tokens of requests."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from worksmith.models.transformer.prefixes import Layers, Segment


class Table:
    """A row of keys and values for each request.

    Args:
        rows: the most requests.
        room: tokens of a row for which there is room at first.
    """

    def __init__(self, rows: int, room: int) -> None:
        self._rows = rows
        self._room = room
        self._layers: Layers = []

    def begin(self, row: int, path: Sequence[Segment]) -> None:
        """Write the tokens of segments, which follow each other, to the beginning of a row."""
        for segment in path:
            first, end = segment.start - path[0].start, segment.end - path[0].start
            for layer, (keys, values) in enumerate(segment.layers):
                places = torch.arange(first, end, device=keys.device)
                self.write(layer, keys, values, torch.full_like(places, row), places, end=end)

    def write(
        self,
        layer: int,
        keys: torch.Tensor,
        values: torch.Tensor,
        rows: torch.Tensor,
        places: torch.Tensor,
        *,
        end: int,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write keys and values of tokens, of shape (groups, tokens, size).

        Args:
            rows: of the tokens.
            places: of the tokens in their rows, all before `end`.

        Returns:
            Keys and values of all rows up to `end`, of shape (rows, groups, end, size).
        """
        if layer == len(self._layers):
            self._layers.append((self._empty(keys, self._room), self._empty(values, self._room)))
        if end > self._layers[layer][0].shape[2]:
            kept_keys, kept_values = (
                torch.cat([kept, self._empty(kept[0], end)], dim=2) for kept in self._layers[layer]
            )
            self._layers[layer] = kept_keys, kept_values
        for kept, new in zip(self._layers[layer], (keys, values), strict=True):
            kept[rows, :, places] = new.transpose(0, 1)
        kept_keys, kept_values = self._layers[layer]
        return kept_keys[:, :, :end], kept_values[:, :, :end]

    def part(self, row: int, first: int, last: int) -> Layers:
        """A copy of some tokens of a row."""
        return [
            (keys[row, :, first:last].clone(), values[row, :, first:last].clone())
            for keys, values in self._layers
        ]

    def _empty(self, like: torch.Tensor, room: int) -> torch.Tensor:
        """Zeros, because old memory may hold NaN, and 0 times NaN is NaN."""
        groups, _, size = like.shape
        return like.new_zeros(self._rows, groups, room, size)
