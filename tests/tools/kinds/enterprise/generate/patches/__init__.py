"""The judge of whether a patch mends a function, and the proofs of the faults that are planted."""
