"""Extruct on every page that a loop over all links of the shop finds."""

import json
import sys
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen

import extruct
from lxml import html

MOST = 300  # requests: the links of some shops have no end

url, shop, output = sys.argv[1:]
waiting, known, rows = [url], {url}, []
while waiting and len(known) - len(waiting) < MOST:
    address = waiting.pop(0)
    try:
        page = urlopen(address).read().decode()
    except (HTTPError, ValueError):
        continue
    found = extruct.extract(page, base_url=address, syntaxes=["json-ld", "microdata"], uniform=True)
    for thing in found["json-ld"] + found["microdata"]:
        if thing.get("@type") == "Product":
            rows.append({"title": thing.get("name"), "price": (thing.get("offers") or {}).get("price")})
    for link in html.fromstring(page).xpath("//a/@href"):
        target = urldefrag(urljoin(address, link)).url
        if target.startswith(url) and target not in known:
            known.add(target)
            waiting.append(target)
with open(output, "w") as file:
    file.writelines(json.dumps(row) + "\n" for row in rows)
print("said: nothing")
