"""Measuring judges on labelled cases, and the gate that a judge has to pass."""
