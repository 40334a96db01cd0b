"""The commands `worksmith serve ...` that are of no kind."""
