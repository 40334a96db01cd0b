"""The original's rule for what an agent has to say. What it has to change, the tasks state as calls."""

from typing import Any


def communicated(example: Any, prediction: Any) -> bool:
    """Whether each text of the task stands in a message to the user; letter case and commas do not count."""
    said = [call["arguments"].get("message") for call in prediction.calls if call["tool"] == "user.ask_user"]
    messages = [str(text).lower().replace(",", "") for text in (*said, prediction.answer)]
    wanted = example.task.answer.reference.splitlines()
    return all(any(text.lower() in message for message in messages) for text in wanted)
