"""Batches of a bounded number of tokens, and their tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from worksmith.tools.seeding import rng
from worksmith.training.encoding import UNTAUGHT, Encoded, Pair

if TYPE_CHECKING:
    from datasets import Dataset

T = TypeVar("T", Encoded, Pair)
Example = Encoded | Pair


def tokens_of(example: Example) -> int:
    """The tokens of an example; of a pair those of both replies with their prompts."""
    return sum(len(each.tokens) for each in _parts(example))


def longest_of(example: Example) -> int:
    """The tokens of an example, or of the longer reply of a pair with its prompt."""
    return max(len(each.tokens) for each in _parts(example))


def taught_of(example: Example) -> int:
    """The tokens that carry loss."""
    return sum(label != UNTAUGHT for each in _parts(example) for label in each.labels)


def _parts(example: Example) -> Sequence[Encoded]:
    return example if isinstance(example, Pair) else (example,)


def batches_of(examples: Sequence[Example], most: int, *, packing: bool, seed: int) -> list[list[Example]]:
    """The examples in batches of at most `most` tokens; a longer example has its own batch.

    With packing the examples are in an order drawn from the seed, and no batch has padding. Without, examples
    of like lengths are together, and padding counts.
    """
    if packing:
        ordered = list(examples)
        rng(seed, "batches").shuffle(ordered)
    else:
        ordered = sorted(examples, key=longest_of)
    return list(_filled(ordered, most, packing=packing))


def _filled(ordered: Sequence[Example], most: int, *, packing: bool) -> Iterator[list[Example]]:
    batch: list[Example] = []
    for example in ordered:
        grown = [*batch, example]
        size = (
            sum(map(tokens_of, grown))
            if packing
            else max(map(longest_of, grown)) * sum(len(_parts(each)) for each in grown)
        )
        if batch and size > most:
            yield batch
            grown = [example]
        batch = grown
    if batch:
        yield batch


def dataset_of(batches: Sequence[Sequence[Example]]) -> Dataset:
    """The batches as a dataset, of which each row is a batch: TRL shuffles and shares out rows."""
    from datasets import Dataset

    return Dataset.from_dict({"batch": [[_plain(example) for example in batch] for batch in batches]})


def _plain(example: Example) -> dict[str, list[int]]:
    if isinstance(example, Pair):
        chosen, rejected = example
        return {
            "input_ids": chosen.tokens,
            "labels": chosen.labels,
            "rejected_ids": rejected.tokens,
            "rejected_labels": rejected.labels,
        }
    return {"input_ids": example.tokens, "labels": example.labels}


def collator(pad: int, *, packing: bool) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """A function that makes the tensors of a batch for SFT.

    Args:
        pad: the token for padding.
        packing: whether the examples are put end to end; no example sees another.
    """
    from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

    collate = DataCollatorForLanguageModeling(pad_token_id=pad, padding_free=packing)
    return lambda rows: dict(collate([example for row in rows for example in row["batch"]]))


def pair_collator(pad: int) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """A function that makes the tensors of a batch for DPO, the chosen replies first."""
    import torch
    from trl.trainer.utils import pad as padded

    def collate(rows: list[dict[str, Any]]) -> dict[str, Any]:
        pairs = [pair for row in rows for pair in row["batch"]]
        chosen = [(pair["input_ids"], pair["labels"]) for pair in pairs]
        rejected = [(pair["rejected_ids"], pair["rejected_labels"]) for pair in pairs]
        tokens = [torch.tensor(ids) for ids, _ in (*chosen, *rejected)]
        taught = [torch.tensor(labels).ne(UNTAUGHT).long() for _, labels in (*chosen, *rejected)]
        return {
            "input_ids": padded(tokens, padding_value=pad, padding_side="right"),
            "attention_mask": padded([torch.ones_like(each) for each in tokens], padding_side="right"),
            "completion_mask": padded(taught, padding_side="right"),
        }

    return collate
