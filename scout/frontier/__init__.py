"""The durable frontier: the requests of a crawl in the same database as its offers, so that no kill loses a page.

scheduler.py          Scrapy's scheduler on top of the table
worker.py             one worker: exchanges with the table, turns, rounds of retries, the check of a shop that refuses every page
table.py              the table: new requests, leases, outcomes of pages, written in one transaction
requests.py           a request as data, and back
middleware.py         tells when a page has been read
ledger.py             the account of a crawl, read from the table
resuming.py           which crawl a start resumes
progress.py           how far a crawl is, for `scout crawls`
"""
