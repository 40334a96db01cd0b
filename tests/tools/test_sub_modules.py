from __future__ import annotations

import dspy

from worksmith.tools.sub_modules import named_sub_modules


class Program(dspy.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.steps = [dspy.Predict("a -> b"), {"last": dspy.ChainOfThought("a -> b")}]
        self.pair = (dspy.Predict("a -> c"), dspy.Predict)
        self.again = self.steps[0]


def test_the_modules_of_a_program_are_those_that_dspy_finds_in_the_same_order() -> None:
    program = Program()
    assert list(named_sub_modules(program)) == list(program.named_sub_modules())


def test_what_a_program_was_asked_and_shown_is_no_part_of_it() -> None:
    program = Program()
    program.history.append({"program": Program()})
    program.again.demos = [{"program": Program()}]
    assert [name for name, _ in named_sub_modules(program)] == [
        name for name, _ in Program().named_sub_modules()
    ]
