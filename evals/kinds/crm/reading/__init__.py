"""Reading the wording of a question: its family's slots, its periods, numbers and products."""
