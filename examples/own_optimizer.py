"""An optimizer of your own: one demonstration of each kind of task, the one with the fewest calls."""

from collections.abc import Iterator

import worksmith as ws
from worksmith.plugins.optimizers import Built, CompileContext, Display, Race, show


class OneOfEachKind(Race):
    """A race of one candidate against the program as it is, with the budget, journal and test of any race."""

    name = "one-of-each"
    thorough = True  # the candidate runs all dev tasks

    def candidates(self, context: CompileContext) -> Iterator[dict[str, Built]]:
        bank = sorted(context.bank().demonstrations, key=lambda success: -len(success.tools))
        chosen = {success.intent: success for success in bank}  # of each kind the last one, the shortest
        yield {"shortest": Built(*show(context.program, Display([*chosen.values()]), context.settings))}


if __name__ == "__main__":
    from own_data import agent, suite

    better = OneOfEachKind(accept="best").compile(agent, trainset=suite.train, valset=suite.dev)
    print(ws.compare([agent, better], suite.test))
