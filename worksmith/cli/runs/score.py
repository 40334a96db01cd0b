"""`worksmith score`: score prediction files against a suite."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import show
from worksmith.jobs.settings.runs import ScoreSettings


@from_settings(ScoreSettings)
def score_predictions(settings: ScoreSettings, as_json: JsonFlag = False) -> None:
    """Score recorded runs as if they happened now: make their calls, and score changes and answers."""
    from worksmith.jobs.runs.scoring import score

    show(score(settings), as_json)
