"""Attacks on an agent's own data: a catalogue of instructions, and how they are planted for tasks."""
