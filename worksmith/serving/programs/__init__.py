"""A program served over HTTP: tasks on behalf of people, and their changes for approval."""
