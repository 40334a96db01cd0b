"""The command line: `worksmith.cli.app` names the commands, each command is a module below."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from worksmith.cli import app, boundary

    boundary.run(app.app)
