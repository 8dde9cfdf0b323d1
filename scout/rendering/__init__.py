"""How each level of a shop is fetched: plainly, from the data behind its pages, or with a browser. `middlewares.render` asks this room.

policy.py      RenderPolicy: what to do with a page, and what is learned from it; levels.py compares both pages and decides a level
page_facts.py  what a page holds for a crawl
endpoints.py   the data behind pages: found, proven, read; addresses.py makes its addresses from those of pages
content.py     the structure of pages, compared where neither holds facts
page_requests.py  which requests of a page's scripts may be sent; browsers.py the Chromium on this machine
"""
