"""Credentials in texts that are kept. A provider's error may quote the refused key."""

from __future__ import annotations

import os
import re

HIDDEN = "[hidden]"

_NAMES = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|SESSION_ID)(?:_|$)", re.IGNORECASE
)
"""How environment variables are called that hold a credential."""

_SHAPES = re.compile(
    r"(?i:(?<=\bbearer )|(?<=\bbasic ))[^\s\"'<>,;]{8,}|\bsk-[\w-]{12,}|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
"""Tokens after the name of an HTTP scheme, keys by their beginnings, log-ins in addresses."""

_HIDDEN_VARIABLES: set[str] = set()
"""Further environment variables that hold a credential, with any name."""

_SHORTEST = 8
"""Characters; a shorter text is not a credential, and would be found inside words."""


def hide_variable(name: str) -> None:
    """Treat the value of an environment variable as a credential from now on."""
    _HIDDEN_VARIABLES.add(name)


def without_secrets(text: str) -> str:
    """A text with `HIDDEN` in place of credentials: values of environment variables, headers, keys."""
    values = {
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and (name in _HIDDEN_VARIABLES or _NAMES.search(name))
    }
    # The longest first: one may be the beginning of another.
    for value in sorted(values, key=lambda value: (-len(value), value)):
        text = text.replace(value, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)


def described(error: BaseException) -> str:
    """An exception's type and message, without credentials."""
    return f"{type(error).__name__}: {without_secrets(str(error))}"
