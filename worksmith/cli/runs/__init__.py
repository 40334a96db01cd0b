"""Commands on finished runs: reports, verdicts, ratings, scores."""
