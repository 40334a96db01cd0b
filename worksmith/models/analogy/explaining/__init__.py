"""Explaining a demonstrated value by expressions that give it."""
