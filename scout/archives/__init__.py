"""Kept pages and their offers as files that other programs read too: WARC (ISO 28500) and Parquet.

page.py     KeptPage: a page as it was fetched, with what only the crawl knew of it
warc.py     one response record for each page; archives of other crawlers are read as well
parquet.py  one row for each page, or for each offer
files.py    the format by the name of the file
"""

from scout.archives.files import offers_writer, pages_in, readable_pages, write_pages
from scout.archives.page import KeptPage

__all__ = ["KeptPage", "offers_writer", "pages_in", "readable_pages", "write_pages"]
