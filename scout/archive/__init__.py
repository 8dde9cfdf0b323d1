"""Kept pages: stored by a crawl, asked for again only if they changed, written as WARC or Parquet, and read anew.

keep_pages.py            stores the pages that no offer stores: lists, and products that wait for the shop's rules
conditional_requests.py  asks for stored pages only if they have changed, and answers from the store where they have not
warc.py, parquet.py      kept pages and their offers as files that other programs read; files.py picks the format by the file's name
reextraction.py          the offer on one kept page, by the same functions that a crawl uses
process_pool.py, spark.py  re-extraction in the processes of one machine, or as a job of Apache Spark
"""

from scout.archive.files import offers_writer, pages_in, readable_pages, write_pages
from scout.kept_page import KeptPage

__all__ = ["KeptPage", "offers_writer", "pages_in", "readable_pages", "write_pages"]
