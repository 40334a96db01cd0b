"""Agents of any framework in episodes: a function gets a task with tools and returns an answer."""
