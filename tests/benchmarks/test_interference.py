"""What a reader may not read changes no prompt of that reader, and the measure can tell."""

from __future__ import annotations

from benchmarks.soundness import interference


def test_hidden_cells_change_no_prompt_and_recognising_them_would() -> None:
    found = interference.run(quick=True)

    assert found["differences"] == found["hidden_values_in_prompts"] == 0
    assert found["differences_where_recognised_values_are_replaced"] > 0
    assert sum(found["prompts_with_made_up_demonstrations"].values()) == found["prompts"]
    assert {"str", "int", "float", "bool", "null"} <= found["varied_by_type"].keys()
