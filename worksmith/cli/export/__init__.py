"""`worksmith export`: suites as the files of other frameworks, trajectories as training data."""
