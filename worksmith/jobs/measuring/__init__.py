"""Measuring programs: what tells them apart, and what a measurement would cost."""
