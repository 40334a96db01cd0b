"""Reading replies of models, well formed or nearly so."""
