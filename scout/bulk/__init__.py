"""Bulk extraction: the offers of kept pages, read anew by today's rules without fetching, on one machine or on a cluster.

reading.py  the offer on one kept page, by the very functions that a crawl uses
pool.py     all pages in the processes of one machine
spark.py    all pages as a job of Apache Spark
"""
