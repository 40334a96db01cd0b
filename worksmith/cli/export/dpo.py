"""`worksmith export dpo`: trajectories as training data."""

from __future__ import annotations

from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.exports import DpoSettings


@from_settings(DpoSettings, examples=("worksmith export dpo suite samples.jsonl --out dpo.jsonl",))
def export_dpo(settings: DpoSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Write pairs of turns of train tasks, one that led on and one that failed, for preference training.

    A pair is a successful and a failed trajectory of the same task, from the turn at which they part. A data
    card lies beside the file.
    """
    from worksmith.exports.training.export import forecast, write

    show(forecast(settings) if dry_run else write(settings, progress=Terminal()), as_json)
