"""What a shop's pages are and where they lead.

walk.py           Walk.read(): what a page is, and which of its links are worth a request; page_type() for one page alone
records.py        the repeated list of a page (with trees.py), pagination.py where it continues
links.py          the links of a page with their roles; crawl_budget.py which of them must wait
templates.py      pages of one structure, judged together
shop_currency.py  the currency that the shop's pages name together
categories.py     the category tree; stated_counts.py how many products a list says it has
xpaths.py         where categories and records are, as paths that the next walk begins with
identity.py       one product at several URLs
error_pages.py    pages that answer 200 but are errors
sitemaps.py, review_pages.py  other ways to find pages
"""
