"""Reading and writing files that other processes may write at the same time."""

PROJECT_FILE = "worksmith.toml"
"""The name of a project file, see `worksmith.tools.files.project_file`."""
