"""Tests of evals.scoring.hidden_tests."""
