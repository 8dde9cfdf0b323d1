"""Databases behind query forms (SWING: Weber, 2001): forms, DB.* metadata, queries, result pages, DBContent, SOIF. See docs/forms.md."""
