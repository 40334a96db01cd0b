"""The published task set: reading its files, recognising its wordings, comparing it with generated ones."""
