"""Which levels of a shop need a browser, decided by the facts that pages hold. The middleware `render` fetches, this room decides.

suspicion.py   does a plain page look as if a browser would show more?
page_facts.py  what a page holds for a crawl; levels.py compares both pages and decides a level; marks.py remembers
content.py, fingerprint.py  the structure of pages, compared where neither holds facts
endpoints.py   the JSON behind a page, as a cheaper way; endpoint_proof.py says whether it holds all facts
browsers.py    the Chromium on this machine
"""
