"""A strategy of your own: three replies for each call, of which the agent makes the most frequent one."""

from collections import Counter

import dspy

import worksmith as ws
from worksmith.plugins.agents import EpisodeLoop, Strategy


class Voting(EpisodeLoop):
    """The loop of `act` with a vote in place of its choice."""

    def choose(self) -> dspy.Prediction:
        replies = []
        for number in range(3):
            with dspy.context(lm=dspy.settings.lm.copy(rollout_id=number, temperature=0.7)):
                replies.append(super().choose())
        calls = [repr((reply.tool, reply.arguments)) for reply in replies]
        return replies[calls.index(Counter(calls).most_common(1)[0][0])]


VOTE = Strategy("vote", "the most frequent of three calls", loop=Voting)

if __name__ == "__main__":
    from own_data import env, suite

    programs = [ws.Agent(strategy, env) for strategy in ("act", VOTE)]
    print(ws.compare(programs, suite.test))
