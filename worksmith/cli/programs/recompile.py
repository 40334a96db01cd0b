"""`worksmith recompile`: move a compiled program to another model."""

from __future__ import annotations

from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.programs import RecompileSettings


@from_settings(
    RecompileSettings,
    examples=(
        "worksmith recompile a.json --lm openai/gpt-4o-mini --suite helpdesk -o b.json",
        "worksmith recompile a.json --lm openai/gpt-4o-mini --suite helpdesk -o b.json --dry-run",
    ),
)
def recompile_program(
    settings: RecompileSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False
) -> None:
    """Move a compiled program to another model: what it loses, which parts still help, and a race from there.

    The program as it is stays, unless a test shows another one to be better with the new model.
    """
    from worksmith.jobs.recompilation import forecast_recompile, recompile

    job = forecast_recompile if dry_run else recompile
    show(job(settings, progress=Terminal()), as_json)
