"""Reports: pages, tables and files of figures, and the episodes behind each figure."""
