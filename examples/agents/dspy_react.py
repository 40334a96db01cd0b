"""DSPy's ReAct. It asks the model of --lm, whose requests are counted, cached and kept for --resume."""

import dspy

import worksmith as ws


def agent(task: ws.AgentTask) -> None:
    """DSPy's own loop over the tools of the task."""
    fields = task.tools.answer_fields  # "answer", and in some worlds "status"
    signature = dspy.Signature(f"guide, task -> {', '.join(fields)}", "\n".join(fields.values()))
    react = dspy.ReAct(signature, tools=task.tools.dspy(), max_iters=task.max_steps)
    found = react(guide=task.instructions, task=task.text)
    task.finish(**{name: found[name] for name in fields})
