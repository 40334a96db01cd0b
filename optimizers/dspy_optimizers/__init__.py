"""DSPy's own optimizers on the same program, tasks and score as worksmith's.

Some of their habits do not suit agents, and are countered here:

* they take any truthy score as success and ignore a threshold of 0, so the metric answers yes or no;
* they take a failing metric for a failing program; here no further episode is run and the error is raised;
* they fill up with raw training examples, which for an agent show no trajectory but do hold the task's
  text, so that is switched off; an example holds only the part of a task that an agent may see;
* of a predictor called several times they may keep any step, so only the last is left in the trace;
* they swallow the teacher's exceptions, so those are counted and named;
* they draw with their own seeds or without, so they get worksmith's, which also draw the order of the
training tasks;
* they would choose by the tasks that they learned from, so those that can are given the dev tasks;
* an evaluation starts an episode that takes over two minutes a second time: here the second one waits for the
  result of the first;
* they print to stdout, which belongs to results, and keep every prompt in memory.

Instructions that a language model proposes are rewritten without the house rules, which are joined at the
call. The model that proposes them is shown trajectories in their redacted form where they have one (see
`worksmith.optimizers.demos.redaction`); the records quoted by those without a plan are in the manifest as
`seen_by_proposer`, because instructions are the same for every persona. The description of an episode
names tools, rules and refusals, no values that a record holds.

One difference stays: their episodes are in no log. A killed compile begins them again, with the replies in
its journal; only the evaluation of the program that they end with is in a log.

`dspy.Ensemble` is left out: it lets several programs run side by side and reduces their answers to one. For
an agent that means several episodes a task, each of which changes the world, and a vote can take back none of
the changes; nor is it one program that an artifact could hold. Those that train weights are
elsewhere, because training is above this package.
"""
