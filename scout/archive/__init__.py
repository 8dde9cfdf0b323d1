"""Kept pages: stored by a crawl, fetched again only if they changed, exported as WARC or Parquet, and re-extracted.

keep_pages.py              stores pages that are not stored with an offer: lists, and products that wait for the shop's rules
conditional_requests.py    fetches stored pages only if they have changed
warc.py, parquet.py        pages and offers as files that other programs read; files.py chooses the format by the file's name
reextraction.py            extracts the offers of one kept page, by the same functions as a crawl
process_pool.py, spark.py  re-extraction in several processes of one machine, or as an Apache Spark job
"""

from scout.archive.files import offers_writer, read_pages, readable_pages, write_pages
from scout.kept_page import KeptPage

__all__ = ["KeptPage", "offers_writer", "read_pages", "readable_pages", "write_pages"]
