"""Which faults the cases catch.

`python -m tests.tools.kinds.enterprise.generate.patches.proving` writes proofs.json anew.
Needed after any change of a function or of its cases; a test tells when it has been forgotten.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from worksmith.evals.scoring.hidden_tests.checking import failing
from worksmith.evals.scoring.hidden_tests.sandbox import Result, plain_value, run_calls
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.kinds.enterprise.generate.code.families.python_functions import Function, functions
from worksmith.tools.kinds.enterprise.generate.code.patches import modules
from worksmith.tools.kinds.enterprise.generate.code.patches.faults import faults

_LONGEST = 60
"""An issue quotes what the faulty code returns; longer values would drown it."""

_NO_REPORT = ("raises NameError", "raises ")
"""Nobody would call these puzzling, or could quote them."""

_MOST = 4
_FEWEST = 2
"""Cases that must catch a fault: an issue quotes one of them, and a patch for that one alone is none."""


def prove(function: Function) -> dict[str, list[object]]:
    """The entry of `proofs.json` for one template.

    Words in capitals are names like others, so the template runs as it is. Of each kind of fault a few are
    kept: number, operator, failing case, what it gives.

    Raises:
        ValueError: if the function itself fails one of its cases.
    """
    code = function.code.strip("\n") + "\n"
    calls = list(function.calls)
    expected = list(function.expected) or [_shown(one) for one in run_calls(code, calls) or ()]
    cases = tuple(zip(calls, expected, strict=True))
    if failed := failing(code, cases):
        raise ValueError(f"{function.key} fails its own cases {failed}")
    kept: Counter[str] = Counter()
    entries: list[object] = []
    for number, fault in enumerate(faults(code)):
        if kept[fault.operator] == _MOST:
            continue
        results = run_calls(fault.source, calls, seconds=1)
        caught = failing(fault.source, cases) if results is not None else ()
        if results is not None and len(caught) >= _FEWEST:
            got = _shown(results[caught[0]])
            if len(got) <= _LONGEST and got not in _NO_REPORT:
                kept[fault.operator] += 1
                entries.append([number, fault.operator, caught[0], got])
    return {"expected": [] if function.expected else list(expected), "faults": entries}


def _shown(result: Result) -> str:
    """A result as an issue quotes it."""
    return repr(plain_value(result["value"])) if "value" in result else f"raises {result['error']}"


def main() -> None:
    lines = [f"{json.dumps(key)}: {json.dumps(prove(one))}" for key, one in functions().items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_atomically(Path(modules.__file__).with_name("proofs.json"), text.encode())


if __name__ == "__main__":
    main()
