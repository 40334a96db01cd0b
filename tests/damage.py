"""Files of records with a few values, keys or bytes changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st


def values(*special: str) -> st.SearchStrategy[Any]:
    """JSON values, some of them these texts."""
    return st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=8)
        | st.sampled_from(special),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=6,
    )


@st.composite
def mutated(
    draw: st.DrawFn,
    files: Mapping[str, list[dict[str, Any]]],
    special: st.SearchStrategy[Any],
    nested: str = "",
) -> tuple[str, bytes]:
    """One of some files, damaged.

    Args:
        special: values that take the place of others.
        nested: the key of an object within the records that is damaged as well.
    """
    name = draw(st.sampled_from(sorted(files)))
    records = json.loads(json.dumps(files[name]))
    for _ in range(draw(st.integers(0, 3))):
        record = draw(st.sampled_from(records))
        inner = record.get(nested)
        if isinstance(inner, dict) and draw(st.booleans()):
            record = inner
        key = draw(st.sampled_from(sorted(record)) if record else st.text(max_size=3))
        action = draw(st.sampled_from(["value", "drop", "rename", "copy"]))
        if action == "value":
            record[key] = draw(special)
        elif action == "drop":
            record.pop(key, None)
        elif action == "rename":
            record[draw(st.text(max_size=6))] = record.pop(key, None)
        else:
            records.append({**record, key: draw(special)})
    lines = draw(st.booleans())
    data = bytearray(("\n".join(map(json.dumps, records)) if lines else json.dumps(records)).encode())
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 20))] = draw(st.binary(max_size=6))
    return name, bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)
