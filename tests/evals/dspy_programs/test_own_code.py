"""Objects of the user's, by address."""

from __future__ import annotations

from pathlib import Path

import pytest

from worksmith.evals.dspy_programs.own_code import own_object
from worksmith.tools.errors import InputError


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('no key')", r"cannot be imported \(SystemExit: no key\)"),
        ("def agent(task) return", r"cannot be imported \(SyntaxError"),
        ("other = 1", "has no agent"),
    ],
)
def test_a_module_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"unusable_{abs(hash(code))}"
    (tmp_path / f"{name}.py").write_text(code)

    with pytest.raises(InputError, match=said) as error:
        own_object(f"{name}:agent", where="--agent")

    assert error.value.where == "--agent"
