"""Two-bit differences: what they keep of a trained model, and which files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from worksmith.models.apprentice import FOLDER
from worksmith.models.transformer.difference import add, encoded
from worksmith.models.transformer.manifest import DIFFERENCE, read_manifest
from worksmith.tools.errors import InputError


def model(seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(128, 8, bias=False), torch.nn.LayerNorm(8, bias=False))


def trained(base: torch.nn.Module, by: float) -> torch.nn.Module:
    tuned = model(1)
    with torch.no_grad():
        for weight, before in zip(tuned.parameters(), base.parameters(), strict=True):
            weight.copy_(before + by * torch.randn_like(before))
    return tuned


def written(folder: Path, tensors: dict[str, torch.Tensor]) -> Path:
    save_file(tensors, folder / DIFFERENCE)
    return folder


def test_a_difference_makes_the_trained_model_of_its_base(tmp_path: Path) -> None:
    base = model(1)
    tuned = trained(base, 0.01)
    found = encoded(base, tuned)

    assert {name: tuple(one.shape) for name, one in found.items()} == {
        "0.weight.codes": (8, 32),
        "0.weight.scales": (8, 2),
        "1.weight.difference": (8,),
    }
    again = model(1)
    add(again, written(tmp_path, found))
    errors = [
        ((one - other).norm() / (one - before).norm()).item()
        for one, other, before in zip(tuned.parameters(), again.parameters(), base.parameters(), strict=True)
    ]
    assert errors[0] < 0.4  # two bits of normally distributed numbers keep about 88 % of their energy
    assert errors[1] < 1e-3
    # What two bits can say is kept as it is, so that a difference of a difference is the same file.
    same = encoded(base, again)
    assert torch.equal(same["0.weight.codes"], found["0.weight.codes"])


def test_equal_weights_are_left_out() -> None:
    assert encoded(model(1), model(1)) == {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"2.weight.codes": torch.zeros(8, 32, dtype=torch.uint8)}, "unknown part: 2.weight.codes"),
        ({"0.weight.code": torch.zeros(8)}, "unknown part"),
        ({"0.weight.codes": torch.zeros(8, 16, dtype=torch.uint8)}, "does not fit its base: 0.weight"),
        ({"0.weight.codes": torch.zeros(8, 32)}, "does not fit its base: 0.weight"),
        ({"0.weight.scales": torch.full((8, 2), torch.inf).half()}, "does not fit its base: 0.weight"),
        ({"0.weight.scales": torch.zeros(16).half()}, "does not fit its base: 0.weight"),
        ({"1.weight.difference": torch.zeros(9).half()}, "does not fit its base: 1.weight"),
    ],
)
def test_a_file_of_another_form_is_refused(
    tmp_path: Path, change: dict[str, torch.Tensor], said: str
) -> None:
    base = model(1)
    found = encoded(base, trained(base, 0.01))
    with pytest.raises(InputError, match=said):
        add(base, written(tmp_path, {**found, **change}))


def test_a_torn_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / DIFFERENCE).write_bytes(b"\x08\x00")
    with pytest.raises(InputError, match="cannot be read"):
        add(model(1), tmp_path)


def test_the_packaged_model_is_the_one_that_its_manifest_names() -> None:
    found = read_manifest(FOLDER)
    assert (found.weights, found.prompt, found.licence) == ("difference", "compact", "Apache-2.0")
