"""The command line. Commands live in `worksmith.commands`; heavy packages load only when one runs."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import TextIO

import typer

from evals.reporting.characters import harmless
from retrievers.errors import RetrievalError
from tools.errors import InputError, Notice, WorksmithError
from worksmith import __version__
from worksmith.commands import (
    access,
    bank,
    compare,
    compile,
    episodes,
    eval,
    index,
    judge,
    log,
    org,
    power,
    quickstart,
    rate,
    report,
    run,
    score,
    serve,
    suite,
    ui,
    verify,
)

# Set before any library reads them: no telemetry, and no price list fetched from the network at import.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# DSPy's own progress bars would write over ours, and into files where nobody watches.
os.environ.setdefault("TQDM_DISABLE", "1")

app = typer.Typer(
    name="worksmith",
    help="Compile, compare and track workplace-agent programs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(suite.app, name="suite")
app.add_typer(access.app, name="access")
app.add_typer(bank.app, name="bank")
app.add_typer(judge.app, name="judge")
app.add_typer(serve.app, name="serve")
app.add_typer(org.app, name="org")
app.command("index")(index.index_suite)
app.command("quickstart")(quickstart.quickstart)
app.command("compile")(compile.compile_program)
app.command("verify")(verify.verify_program)
app.command("eval")(eval.evaluate_program)
app.command("compare")(compare.compare_strategies)
app.command("report")(report.report_runs)
app.command("episodes")(episodes.list_episodes)
app.command("power")(power.plan_comparison)
app.command("run")(run.run_task)
app.command("score", context_settings={"allow_extra_args": True})(score.score_predictions)
app.command("rate")(rate.rate_runs)
app.command("log")(log.log_runs)
app.command("ui")(ui.open_ui)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"worksmith {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop.", callback=_version, is_eager=True
    ),
) -> None:
    """Compile, compare and track workplace-agent programs."""


_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""What a write fails with that names no file, because it was open."""


_INTERRUPTED = 130


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """What we say ourselves is a sentence; what libraries warn of is shown as Python does."""
    ours = issubclass(category, Notice)
    said = f"worksmith: {message}\n" if ours else warnings.formatwarning(message, category, filename, lineno)
    typer.echo(harmless(said), err=True, nl=False)


def main() -> None:
    """Run the command line: 0 done, 1 a run failed, 2 bad input, 3 a limit was reached, 130 interrupted."""
    warnings.showwarning = _show_warning
    try:
        app()
    except (InputError, RetrievalError) as error:
        typer.echo(f"worksmith: {harmless(str(error))}", err=True)
        sys.exit(2)
    except WorksmithError as error:
        typer.echo(f"worksmith: {harmless(str(error))}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if not error.filename and error.errno not in _OF_DISKS:
            raise
        # A folder that cannot be written, a full disk: for the person to mend, not a defect of the program.
        place = f"{error.filename}: " if error.filename else ""
        typer.echo(f"worksmith: {place}{error.strerror}", err=True)
        sys.exit(1)
    except SystemExit as end:
        if end.code == _INTERRUPTED:  # what is left of Ctrl-C
            typer.echo("worksmith: interrupted; what has --resume goes on with it", err=True)
        raise


if __name__ == "__main__":
    main()
