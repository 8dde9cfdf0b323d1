"""The report: figures.py computes what is matched, missing, gone and changed; page.py and tables.py write it (HTML, CSV, JSON, XLSX)."""
