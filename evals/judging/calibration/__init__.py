"""Measuring judges on labelled cases, and the gate for judges."""
