"""Which faults the cases catch.

`python -m tests.tools.kinds.enterprise.generate.patches.proving` writes faults.json anew.
Needed after any change of a function or of its cases; a test tells when it has been forgotten.
"""

from __future__ import annotations

import json
from pathlib import Path

from evals.scoring.hidden_tests.checking import cases_of, failing
from evals.scoring.hidden_tests.sandbox import Result, plain_value, run_calls
from tools.files.atomic import write_atomically
from tools.kinds.enterprise.generate.code.patches import modules
from tools.kinds.enterprise.generate.code.patches.faults import faults
from tools.kinds.enterprise.generate.code.patches.modules import Function, Part, functions

_LONGEST = 60
"""An issue quotes what the faulty code returns; longer values would drown it."""

_NO_REPORT = ("raises NameError", "raises ")
"""Nobody would call these puzzling, or could quote them."""

_FEWEST = 2
"""Cases that must catch a fault: an issue quotes one of them, and a patch for that one alone is none."""


def prove(function: Function) -> list[list[object]]:
    """The entries of `faults.json` for one template: number, operator, failing case, what it gives.

    Raises:
        ValueError: if the function itself fails one of its cases.
    """
    part = Part(function, function.names[0], function.arguments[0])
    cases = cases_of("".join(f"assert {case}\n" for case in part.cases))
    if failed := failing(part.source, cases):
        raise ValueError(f"{function.key} fails its own cases {failed}")
    entries: list[list[object]] = []
    for number, fault in enumerate(faults(part.source)):
        results = run_calls(fault.source, [call for call, _ in cases])
        caught = failing(fault.source, cases)
        if results is not None and len(caught) >= _FEWEST:
            got = _shown(results[caught[0]])
            if len(got) <= _LONGEST and got not in _NO_REPORT:
                entries.append([number, fault.operator, caught[0], got])
    return entries


def _shown(result: Result) -> str:
    """A result as an issue quotes it."""
    return repr(plain_value(result["value"])) if "value" in result else f"raises {result['error']}"


def main() -> None:
    lines = [f"{json.dumps(key)}: {json.dumps(prove(one))}" for key, one in functions().items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_atomically(Path(modules.__file__).with_name("faults.json"), text.encode())


if __name__ == "__main__":
    main()
