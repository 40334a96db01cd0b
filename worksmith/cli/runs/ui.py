"""`worksmith ui`: the MLflow page of the runs kept here."""

from __future__ import annotations

import os
import subprocess
import sys

import typer

from worksmith.cli.options import from_settings
from worksmith.cli.terminal import say
from worksmith.jobs.settings.runs import UiSettings
from worksmith.tools.errors import InputError

HOST = "127.0.0.1"
"""Runs may quote the records of a world; the page is for this machine only."""


@from_settings(UiSettings)
def open_ui(settings: UiSettings) -> None:
    """Show the recorded runs in MLflow's web page, on this machine only. Ctrl-C ends it."""
    from worksmith.evals.tracking.store import check_address, database_file, quieten_libraries
    from worksmith.evals.tracking.store import tracking_uri as address_of

    port, uri = settings.port, address_of(settings.tracking_uri)
    check_address(uri)
    if uri.startswith(("http://", "https://")):
        typer.echo(f"The runs are on a server: {uri}")
        return
    file = database_file(uri)
    if file is not None and not file.exists():
        raise InputError(
            "no runs are recorded here", where=str(file), hint="`worksmith eval` or `compare` records some"
        )
    if not _free(port):
        raise InputError(f"port {port} is taken", where="--port", hint=f"try --port {port + 1}")
    quieten_libraries()
    artifacts = ["--artifacts-destination", str((file.parent / "artifacts").resolve())] if file else []
    say(f"Starting MLflow on http://{HOST}:{port} (takes some seconds; Ctrl-C ends it)")
    # One worker: the page is for one person, and each takes hundreds of megabytes.
    server = ["server", "--backend-store-uri", uri, *artifacts, "--workers", "1"]
    raise typer.Exit(_serve([sys.executable, "-m", "mlflow", *server, "--host", HOST, "--port", str(port)]))


def _serve(command: list[str]) -> int:
    """Become the server, so that every signal reaches it; where that is impossible, wait for it."""
    # Background jobs of MLflow (online scoring, archiving) are another process; nothing here uses them.
    os.environ.setdefault("MLFLOW_SERVER_ENABLE_JOB_EXECUTION", "false")
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


def _free(port: int) -> bool:
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
