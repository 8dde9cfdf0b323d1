"""The durable frontier: the requests of a crawl in the same database as its offers, so that no kill loses a page.

requests.py    a request as data, and back
pages.py       which page has been read, and which of its items are still under way
table.py       the table: new requests, leases, marks; one transaction for all that has gathered
resuming.py    which crawl a start goes on with
scheduler.py   Scrapy's scheduler on top of it
middleware.py  tells when a page has been read
"""
