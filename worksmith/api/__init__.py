"""The functions of `import worksmith as ws`: open programs, suites and models are handed to the jobs."""
