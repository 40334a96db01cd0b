"""Businesses, customers, and what they buy, say and ask."""
