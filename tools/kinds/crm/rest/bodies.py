"""Bodies of requests."""

from __future__ import annotations

from typing import Any

from retrievers.strict_json import parse_json
from tools.kinds.crm.rest.messages import ApiError


def json_object(body: bytes) -> dict[str, Any]:
    """A body that has to be a JSON object.

    Raises:
        ApiError: it is none.
    """
    try:
        value = parse_json(body)
    except ValueError as error:
        raise ApiError(400, "JSON_PARSER_ERROR", f"The body is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ApiError(400, "JSON_PARSER_ERROR", "The body has to be a JSON object")
    return value
