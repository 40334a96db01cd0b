"""Whether what a record says belongs together: its text against the tables that texts are drawn from."""
