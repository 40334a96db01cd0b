"""What people see of jobs: tables and episodes as text, and how far a job is."""
