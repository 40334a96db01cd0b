"""The functions of `import worksmith as ws`: open programs, suites and models are handed to the jobs.

Public are the names in `worksmith.__all__`, each with a page in docs/api.
"""
