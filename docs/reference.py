"""Write docs/cli.md from the command line itself: `python docs/reference.py` (or `make docs`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from worksmith.cli.app import app

TARGET = Path(__file__).parent / "cli.md"
HEAD = """# Command line

Generated from the commands' help by `make docs`; a test checks that it is current.

Results go to stdout, everything else to stderr; with `--json` stdout is one JSON document.
Exit codes: 0 done, 1 the run failed, 2 bad input, 3 a limit of the budget was reached, 130 after Ctrl-C,
143 after SIGTERM. `WORKSMITH_TRACEBACK=1` shows the tracebacks of errors that are reported in one sentence.
"""


def reference() -> str:
    """The whole page."""
    root = typer.main.get_command(app)
    return HEAD + "".join(section for section in _sections(root, ("worksmith",)))


def _sections(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    commands = getattr(command, "commands", None)
    if commands is None:
        yield _section(command, path)
        return
    for name in sorted(commands):
        yield from _sections(commands[name], (*path, name))


def _section(command: Any, path: tuple[str, ...]) -> str:
    name = " ".join(path)
    lines = ["", f"## `{name}`", "", (command.help or "").strip(), "", f"    {name} {_usage(command)}", ""]
    lines += ["| option | default | meaning |", "|---|---|---|"]
    lines += [_row(parameter) for parameter in command.params if getattr(parameter, "help", None)]
    return "\n".join(lines) + "\n"


def _usage(command: Any) -> str:
    names = [_name(p) for p in command.params if p.param_type_name == "argument"]
    return " ".join([*names, "[OPTIONS]"])


def _name(parameter: Any) -> str:
    name = parameter.metavar or str(parameter.name).upper()
    return f"{name}..." if parameter.nargs == -1 else name


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        shown = f"`{_name(parameter)}`"
    else:
        shown = ", ".join(f"`{option}`" for option in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    if parameter.required:
        default = "required"
    elif isinstance(getattr(parameter, "show_default", None), str):
        default = parameter.show_default
    text = "" if default is None or default is False or callable(default) else f"`{default}`"
    help_text = getattr(parameter, "help", "") or ""
    return f"| {shown} | {text} | {help_text.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    TARGET.write_text(reference())
