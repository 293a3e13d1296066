"""Figures as plain Plotly dicts, one module a page; usable in a notebook."""
