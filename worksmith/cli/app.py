"""The command line. Heavy packages load only when one runs."""

from __future__ import annotations

import os

import typer

from worksmith import __version__
from worksmith.cli.programs import bank, compare, compile, eval, quickstart, run, verify
from worksmith.cli.runs import episodes, judge, log, power, rate, report, score, ui
from worksmith.cli.worlds import access, index, org, serve, suite

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
