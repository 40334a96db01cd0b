"""`worksmith export sft`: trajectories as training data."""

from __future__ import annotations

from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.exports import SftSettings


@from_settings(SftSettings, examples=("worksmith export sft suite --out sft.jsonl --validation 0.1",))
def export_sft(settings: SftSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Write successful trajectories of train tasks as chats, for supervised fine-tuning.

    A data card lies beside the file.
    """
    from worksmith.exports.training.export import forecast, write

    show(forecast(settings) if dry_run else write(settings, progress=Terminal()), as_json)
