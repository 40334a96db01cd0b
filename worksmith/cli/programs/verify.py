"""`worksmith verify`: derive a compiled program anew from its journal and compare."""

from __future__ import annotations

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.programs import VerifySettings


@from_settings(VerifySettings)
def verify_program(settings: VerifySettings, as_json: JsonFlag = False) -> None:
    """Derive a compiled program again from the model replies in its journal, without a model, and compare.

    Every episode is run and scored again; the results are compared with the journal's logs. Ends with 0 if
    all is the same, with 1 if something differs or the journal lacks something.
    """
    from worksmith.jobs.verification import verify

    result = verify(settings, progress=Terminal())
    show(result, as_json)
    if not result.passed:
        raise typer.Exit(1)
