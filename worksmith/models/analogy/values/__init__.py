"""Values that a state gives: rows and their filters, figures, moments, expressions."""
