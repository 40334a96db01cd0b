"""Drafts of tasks over own tables, by templates; every draft is executed before it is kept."""
