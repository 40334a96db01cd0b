"""Reports as pages, tables and files: what is drawn, how episodes are shown, where each figure comes from."""
