"""Which faults the cases catch.

`python -m tests.tools.kinds.enterprise.generate.patches.proving` writes faults.json anew.
Needed after any change of a function or of its cases; a test tells when it has been forgotten.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.tools.kinds.enterprise.generate.patches.checking import call_results, expectations
from tools.files.atomic import write_atomically
from tools.kinds.enterprise.generate.code.patches import modules
from tools.kinds.enterprise.generate.code.patches.faults import faults
from tools.kinds.enterprise.generate.code.patches.modules import Function, Part, functions

_LONGEST = 60
"""An issue quotes what the faulty code returns; longer values would drown it."""


def prove(function: Function) -> list[list[object]]:
    """The entries of `faults.json` for one template: number, operator, failing case, what it gives.

    Raises:
        ValueError: if the function itself fails one of its cases.
    """
    part = Part(function, function.names[0], function.arguments[0])
    cases = expectations("".join(f"assert {case}\n" for case in part.cases))
    right = call_results(part.source, [call for call, _ in cases])
    if right is None or _first_failure(right, cases) is not None:
        raise ValueError(f"{function.key} fails its own cases: {right}")
    entries: list[list[object]] = []
    for number, fault in enumerate(faults(part.source)):
        found = call_results(fault.source, [call for call, _ in cases], seconds=1)
        failure = _first_failure(found, cases) if found is not None else None
        if found is not None and failure is not None:
            got = found[failure].get("value") or f"raises {found[failure]['error']}"
            if len(got) <= _LONGEST and got != "raises NameError":
                entries.append([number, fault.operator, failure, got])
    return entries


def _first_failure(found: list[dict[str, str]], cases: list[tuple[str, object]]) -> int | None:
    for number, (outcome, (_, wanted)) in enumerate(zip(found, cases, strict=True)):
        if outcome.get("value") != repr(wanted):
            return number
    return None


def main() -> None:
    lines = [f"{json.dumps(key)}: {json.dumps(prove(one))}" for key, one in functions().items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_atomically(Path(modules.__file__).with_name("faults.json"), text.encode())


if __name__ == "__main__":
    main()
