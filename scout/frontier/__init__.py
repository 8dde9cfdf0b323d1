"""The durable frontier: the requests of a crawl in the same database as its offers, so that no kill loses a page.

scheduler.py          Scrapy's scheduler on top of the table
table.py              the table: new requests, leases, outcomes of pages, written in one transaction
requests.py           a request as data, and back
pages_in_progress.py  which pages are being read, and which of their items are not stored yet
middleware.py         tells when a page has been read
resuming.py           which crawl a start resumes
progress.py           how far a crawl is, for `scout crawls`
"""
