"""Two-bit differences: a model whose weights were all trained, as the difference from its base.

The rows of a matrix are cut into groups of 64. A group has a scale, and each of its differences is one of
-1.5, -0.5, 0.5 and 1.5 scales. The file holds for each matrix NAME the codes of the differences, four to a
byte with the first in the lowest bits, as `NAME.codes` (bytes, [rows, columns / 4]), and the scales as
`NAME.scales` (float16, [rows, columns / 64]); for each vector its difference as `NAME.difference` (float16).
Weights that do not differ are left out. So a model of 135 M parameters takes 30 MB.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from worksmith.models.transformer.manifest import DIFFERENCE
from worksmith.tools.errors import InputError

_GROUP = 64
_PLACES = torch.tensor([0, 2, 4, 6], dtype=torch.uint8)
"""The lowest bit of each of the four codes of a byte."""

_SCALES = 24
"""Scales that are tried for a group, from 0.3 to 1 of the one that reaches the largest difference."""


def check_encodable(model: Any, folder: Path) -> None:
    """Check that differences to a model can be written.

    Raises:
        InputError: they cannot.
    """
    if any(weight.shape[-1] % _GROUP for weight in model.parameters() if weight.ndim > 1):
        raise InputError(
            f"a matrix of the model has a number of columns that is not a multiple of {_GROUP}",
            where=str(folder),
            hint="give --form whole",
        )


def encoded(base: Any, tuned: Any) -> dict[str, torch.Tensor]:
    """The tensors of the difference between two models with the same names and shapes of weights."""
    found: dict[str, torch.Tensor] = {}
    before = dict(base.named_parameters())
    for name, weight in tuned.named_parameters():
        difference = weight.detach().cpu().float() - before[name].detach().float()
        if not difference.any():
            continue
        if difference.ndim == 1:
            found[f"{name}.difference"] = difference.half()
        else:
            found[f"{name}.codes"], found[f"{name}.scales"] = _in_two_bits(difference)
    return found


def add(model: Any, folder: Path) -> None:
    """Add the difference in a folder to the weights of its base.

    Raises:
        InputError: it is of another form, or does not fit the model.
    """
    file = folder / DIFFERENCE
    try:
        tensors = load_file(file)
    except (SafetensorError, OSError) as error:
        raise InputError(f"the difference cannot be read: {error}", where=str(file)) from error
    weights = dict(model.named_parameters())
    for key in tensors:
        name, _, form = key.rpartition(".")
        weight = weights.get(name)
        if weight is None or form not in ("codes", "scales", "difference"):
            raise InputError(f"the difference has an unknown part: {key}", where=str(file))
        if form == "scales":
            continue  # with the codes
        vector = form == "difference"
        found = tensors[key] if vector else _decoded(tensors[key], tensors.get(f"{name}.scales"))
        if found is None or found.shape != weight.shape or not found.isfinite().all():
            raise InputError(f"the difference does not fit its base: {name}", where=str(file))
        with torch.no_grad():
            weight += found.to(weight)


def _in_two_bits(difference: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Codes and scales of a matrix, for each group with the scale of the least squared error."""
    rows, columns = difference.shape
    groups = difference.reshape(rows, columns // _GROUP, _GROUP)
    largest = groups.abs().amax(2, keepdim=True) / 1.5
    least = torch.full_like(largest, torch.inf)
    scales, codes = torch.zeros_like(largest), torch.zeros_like(groups)
    for share in torch.linspace(0.3, 1.0, _SCALES).tolist():
        scale = (largest * share).half().float()
        code = (groups / scale.clamp(min=1e-8)).floor().add(2).clamp(0, 3)
        error = ((code - 1.5) * scale - groups).square().sum(2, keepdim=True)
        better = error < least
        least, scales = torch.where(better, error, least), torch.where(better, scale, scales)
        codes = torch.where(better, code, codes)
    packed = codes.to(torch.uint8).reshape(rows, columns // 4, 4) << _PLACES
    return packed.sum(2, dtype=torch.uint8), scales[..., 0].half()


def _decoded(codes: torch.Tensor, scales: torch.Tensor | None) -> torch.Tensor | None:
    """The differences of a matrix; None if codes and scales do not fit each other."""
    if scales is None or codes.dtype != torch.uint8 or codes.ndim != 2 or scales.ndim != 2:
        return None
    rows, columns = codes.shape[0], codes.shape[1] * 4
    if scales.shape != (rows, columns // _GROUP) or columns % _GROUP:
        return None
    steps = (codes[..., None] >> _PLACES & 3).reshape(*scales.shape, _GROUP).float() - 1.5
    return (steps * scales.float()[..., None]).reshape(rows, columns)
