"""Settings of jobs: names, types, defaults, help texts and limits, each in one place."""
