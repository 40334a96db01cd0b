"""Tests of worksmith.evals.scoring.hidden_tests."""
