"""The trajectory of a running episode, with the turns that were already made of it."""

from __future__ import annotations

from typing import Any

from worksmith.programs.prompting.native_tools import NativeTools
from worksmith.programs.prompting.steps import Said, Step


class Trajectory(list[Step]):
    """The steps so far of one running episode, and the turns that the adapter has made of them.

    It belongs to one predictor and one set of other inputs, and only ever grows: turns once rendered
    are never rendered again.

    Attributes:
        offer: the tools on offer in the next step, where they change from step to step. They stand in the
            last turn, so that all turns before it stay the same and a model's prompt cache can have them.
        tools: the tools on offer, where the model makes native tool calls; None if its calls are text.
        said: native replies, by the number of steps before them.
        turned: number of steps whose turns were made.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rendered: list[Any] = []
        self.turned = 0
        self.offer = ""
        self.tools: NativeTools | None = None
        self.said: dict[int, Said] = {}

    def readable(self) -> list[Step]:
        """The steps as plain data, without replies that could not be read."""
        return [step for step in self if "reply" not in step]

    def offers(self, *, text: str | None = None, tools: NativeTools | None = None) -> None:
        """Offer other tools in the next step.

        Args:
            text: as prompts show them, where they change from step to step.
            tools: as chat APIs take them, where calls are native.
        """
        self.offer = self.offer if text is None else text
        self.tools = tools
