"""Trajectories as data for training, supervised or on preferences.

from worksmith.exports.training import dpo, sft

data = sft("suite", out="sft.jsonl", validation=0.1)
print(data)
"""

from worksmith.exports.training.card import read_data_card
from worksmith.exports.training.export import dpo, sft

__all__ = ["dpo", "read_data_card", "sft"]
