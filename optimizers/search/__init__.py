"""worksmith's optimizers: candidates, races, and acceptance."""
