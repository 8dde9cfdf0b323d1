"""AutoScraper, taught with the title and the price of one product, on every page that a loop over all links finds."""

import json
import sys
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen

from autoscraper import AutoScraper
from lxml import html

EXAMPLES = {
    "tiny": ("product/1", "Oak Chair No. 1", "€120.50"),
    "nordic": ("vara/lampor-0", "Ängel lampor 10", "200,50 kr"),
    "tricky": ("p/lamps-1", "Borealis Lamps 1", "€ 15.01"),
}
MOST = 300  # requests: the links of some shops have no end

url, shop, output = sys.argv[1:]
path, *wanted = EXAMPLES[shop]
scraper = AutoScraper()
scraper.build(html=urlopen(url + path).read().decode(), wanted_dict={"title": [wanted[0]], "price": [wanted[1]]})
waiting, known, rows = [url], {url}, []
while waiting and len(known) - len(waiting) < MOST:
    address = waiting.pop(0)
    try:
        page = urlopen(address).read().decode()
    except (HTTPError, ValueError):
        continue
    found = scraper.get_result_exact(html=page, group_by_alias=True, unique=True)
    if found.get("title") and found.get("price"):
        rows.append({"title": found["title"][0], "price": found["price"][0]})
    for link in html.fromstring(page).xpath("//a/@href"):
        target = urldefrag(urljoin(address, link)).url
        if target.startswith(url) and target not in known:
            known.add(target)
            waiting.append(target)
with open(output, "w") as file:
    file.writelines(json.dumps(row) + "\n" for row in rows)
print("said: nothing")
