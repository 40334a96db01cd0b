"""Tasks by quota: goals are drawn, solved and checked until every place is filled."""
