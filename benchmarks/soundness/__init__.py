"""Whether promises hold: by simulation, under attack, under faults."""
