"""A judge with your own rubric. A rule stands in for its language model, as no packaged model can judge."""

from pathlib import Path

from dspy.utils import DummyLM

import worksmith as ws

RULES = {
    "\nDone.": {"feedback": "It says that it is done.", "level": 2},
    "": {"feedback": "It names something.", "level": 4},  # any other prompt
}
model = DummyLM(RULES)
"""In its place goes a language model: `by="openai/gpt-4o"`."""

if __name__ == "__main__":
    from own_data import agent, suite

    result = ws.evaluate(agent, suite.test)
    print(ws.judge(result, by="own_judge:model", rubric=Path(__file__).with_suffix(".yaml")))
