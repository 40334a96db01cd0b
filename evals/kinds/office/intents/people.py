"""Finding people's addresses, as solutions do it."""

from __future__ import annotations

from evals.kinds.office.intents.script import Script


def find_address(call: Script, name: str) -> str:
    """The address of the employee whom a task calls `name`, from the directory."""
    found: list[str] = call(
        "company_directory.find_email_address", f"I need the email address of {name}.", name=name
    )
    return found[0]
