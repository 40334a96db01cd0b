"""What people think of episodes: scales, samples that hide whose episodes they are, agreement of raters."""
