"""What happens while a job runs: sentences and a bar, in a terminal or a notebook."""
