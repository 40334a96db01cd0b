"""Reading records from files that others wrote, with a report of what is wrong in them."""
