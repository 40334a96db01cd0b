"""The settings of an org are read with their faults named by place."""

from __future__ import annotations

from pathlib import Path

import pytest

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.settings import OrgSettings, read_settings, write_settings


def test_settings_are_read_back(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == OrgSettings()
    written = OrgSettings(mode="faithful", links="lookup")
    write_settings(tmp_path, written)
    assert read_settings(tmp_path) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"mode": "dirty"}',
            "org.json: not the settings of an org: mode: Input should be 'clean' or 'faithful' (",
        ),
        ('{"links": 3}', "org.json: not the settings of an org: links: Input should be 'text' or 'lookup' ("),
        ('{"moed": "clean"}', "org.json: not the settings of an org: moed: Extra inputs are not permitted ("),
        ("[]", "org.json: not the settings of an org: an object is needed ("),
        ("{", "org.json: not the settings of an org: EOF"),
        ("[" * 100_000, "org.json: not the settings of an org: "),
    ],
)
def test_a_fault_is_one_line_that_names_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "org.json").write_text(text)
    with pytest.raises(InputError) as error:
        read_settings(tmp_path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert "pydantic" not in str(error.value)
