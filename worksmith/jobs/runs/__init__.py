"""Jobs on finished runs: reports, episodes, scores, ratings, calibration."""
