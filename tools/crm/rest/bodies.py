"""Bodies of requests."""

from __future__ import annotations

import json
from typing import Any

from tools.crm.rest.messages import ApiError


def json_object(body: bytes) -> dict[str, Any]:
    """A body that has to be a JSON object.

    Raises:
        ApiError: it is none.
    """
    try:
        value = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "JSON_PARSER_ERROR", f"The body is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ApiError(400, "JSON_PARSER_ERROR", "The body has to be a JSON object")
    return value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
