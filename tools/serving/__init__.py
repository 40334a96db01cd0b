"""HTTP servers of this machine: access to them, their limits, and their end."""
