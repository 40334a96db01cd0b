"""Trajectories as data for training: `sft` for supervised fine-tuning, `dpo` for preferences.

from worksmith.exports.training import dpo, sft

data = sft("suite", out="sft.jsonl", validation=0.1)
print(data)
"""

from worksmith.tools.lazy import function_at

dpo = function_at("worksmith.exports.training.export:dpo")
sft = function_at("worksmith.exports.training.export:sft")
