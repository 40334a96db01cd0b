"""`worksmith config`: the values of settings, and where each comes from."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from worksmith.cli.command import Commands, SettingsOfCommands
from worksmith.cli.options import JsonFlag
from worksmith.cli.project import current_project, defaults_for
from worksmith.evals.table import NO_DATA
from worksmith.models.named import read_models
from worksmith.tools.errors import unknown
from worksmith.tools.files import PROJECT_FILE

app = Commands(help="Show settings and where they come from.", no_args_is_help=True)


@app.command("show")
def show_settings(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(help="A command, such as `compile` or `judge run`.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the settings of a command with the source of each value: environment, file or default.

    Without a command, the models, prices and defaults of the project file are shown. An option on the
    command line comes before all of them.
    """
    from worksmith.cli.terminal import show
    from worksmith.jobs.showing.printing import Printed

    root = context.find_root().command
    rows = _settings_of(root, " ".join(command)) if command else _project()
    names = ("setting", "value", "source")
    width = max((len(name) for name, *_ in rows), default=0)
    lines = tuple(
        f"{name:<{width}}  {NO_DATA if value is None else value}  ({source})" for name, value, source in rows
    )
    show(Printed({"settings": [dict(zip(names, row, strict=True)) for row in rows]}, lines), as_json)


def _settings_of(root: Any, command: str) -> list[tuple[str, Any, str]]:
    known = SettingsOfCommands(root)
    if command not in known:
        raise unknown("no command", command, sorted(known))
    found = root
    for word in command.split():
        found = found.commands[word]
    values = defaults_for(current_project(), command, known[command], known)
    return [_setting(param, values) for param in found.params if param.name not in ("help", "as_json")]


def _setting(param: Any, values: dict[str, Any]) -> tuple[str, Any, str]:
    name = max((*param.opts, ""), key=len) if param.param_type_name == "option" else param.name.upper()
    context = typer.Context(typer.core.TyperCommand("none"))
    if (given := param.value_from_envvar(context)) is not None:
        return name, given, f"environment: {param.envvar}"
    if param.name in values:
        return name, values[param.name], PROJECT_FILE
    if param.required:
        return name, None, "to be given"
    unset = param.show_default if isinstance(param.show_default, str) else None
    return name, unset or param.default, "default"


def _project() -> list[tuple[str, Any, str]]:
    project = current_project()
    rows: list[tuple[str, Any, str]] = []
    for name, model in read_models(project.models, where=PROJECT_FILE).items():
        settings = model.model_dump(mode="json", exclude_none=True)
        rows += [(f"models.{name}.{key}", value, PROJECT_FILE) for key, value in settings.items()]
    for section in ("prices", "defaults", "environment"):
        rows += [(name, value, PROJECT_FILE) for name, value in _flat(section, getattr(project, section))]
    return rows


def _flat(name: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return [(name, value)]
    return [each for key, inner in value.items() for each in _flat(f"{name}.{key}", inner)]
