"""Every page whose right answers are known, in one shape, sampled so that no site outweighs the others.

Fitting (`bench.fit`) reads all of them. `site` groups the pages that one hand wrote: the unit that is left out when a fit is judged,
so amazon.com and amazon.co.uk are one site. Nothing of the data is kept in the project; the sample is cached outside of it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pickle
import random
import tarfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from scout.page import Page
from scout.values.tracking import registrable_domain

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FIELDS = ("title", "price", "list_price", "currency", "availability", "brand", "sku", "ean", "han")
OTHER_NAMES = {"ean": "gtin", "han": "mpn"}
PER_SITE = 16  # product pages of one site
OTHERS_PER_SITE = 10  # pages of one site that are no product's
SEED = 18
ASSETS = frozenset(
    "css js png jpg jpeg gif svg webp ico bmp woff woff2 ttf eot otf xml txt json pdf zip gz mp4 webm mp3 map swf md "
    "atom rss oembed csv avif".split()
)

Truth = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class LabelledPage:
    """A page and its right answers.

    `truth` has the accepted values of every field that is known of the page; none (an empty tuple) says that the page does not show the
    field, so that any answer is invented. A field that is not in `truth` was not looked at. `optional` values may be given or left out.
    """

    collection: str
    site: str
    key: str
    url: str
    html: str
    truth: Truth
    is_product: bool
    optional: Truth
    kind_of_goods: str = ""

    @property
    def page(self) -> Page:
        """The page, not parsed yet."""
        return Page(self.url, self.html)


def labelled_pages(data: Path = DATA, collections: Collection[str] = ()) -> list[LabelledPage]:
    """A sample of every collection that is there (or of those named), always the same one."""
    wanted = [name for name in _COLLECTIONS if not collections or name in collections]
    return [page for name in wanted if (data / name).exists() for page in _cached(name, data / name)]


def sampled_pages(pages: Sequence[LabelledPage], per_site: int) -> list[LabelledPage]:
    """At most so many product pages of each site, and so many of its other pages."""
    met: Counter[tuple[str, bool]] = Counter()
    kept = []
    for page in pages:
        met[page.site, page.is_product] += 1
        if met[page.site, page.is_product] <= per_site:
            kept.append(page)
    return kept


def site_folds(sites: Iterable[str], count: int) -> list[frozenset[str]]:
    """The sites in `count` parts of about the same size, drawn by a hash of their names."""
    ranked = sorted(set(sites), key=lambda site: hashlib.sha256(site.encode()).digest())
    return [frozenset(ranked[number::count]) for number in range(count)]


# --- the cache --------------------------------------------------------------------------------------------------------
def cache_folder() -> Path:
    """Where computed things are kept between runs: $SCOUT_FIT_CACHE, or the user's cache."""
    folder = Path(os.environ.get("SCOUT_FIT_CACHE") or Path.home() / ".cache" / "scout-fit")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _cached(name: str, source: Path) -> list[LabelledPage]:
    files = sorted(path for path in source.rglob("*") if path.is_file())
    stamp = repr([(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files])
    key = hashlib.sha256(stamp.encode() + Path(__file__).read_bytes()).hexdigest()[:16]
    file = cache_folder() / f"pages-{name}-{key}.pickle"
    if not file.exists():
        for old in cache_folder().glob(f"pages-{name}-*.pickle"):
            old.unlink()
        _write_whole(file, pickle.dumps(list(_COLLECTIONS[name](source))))
    pages: list[LabelledPage] = pickle.loads(file.read_bytes())
    return pages


def _write_whole(file: Path, content: bytes) -> None:
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_bytes(content)
    partial.replace(file)


def digest(pages: Iterable[LabelledPage]) -> str:
    """A short hash of the pages and their truth."""
    total = hashlib.sha256()
    for page in pages:
        total.update(repr((page.url, page.truth, page.is_product)).encode() + page.html.encode("utf-8", "replace"))
    return total.hexdigest()[:16]


# --- reading ----------------------------------------------------------------------------------------------------------
def rows(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _sampled(names: Iterable[str], count: int) -> list[str]:
    known = sorted(set(names))
    return sorted(random.Random(SEED).sample(known, min(count, len(known))))


def _accepted(row: Mapping[str, Any], fields: Collection[str]) -> dict[str, tuple[str, ...]]:
    """field -> accepted values of those fields, also where there are none."""
    also = row.get("also") or {}
    found = {}
    for name in FIELDS:
        if name not in fields:
            continue
        value = row.get(name, row.get(OTHER_NAMES.get(name, name)))
        values = [*(value if isinstance(value, list) else [value]), *also.get(name, [])]
        said = (str(v) if name == "title" else _without_label(str(v)) for v in values if v not in (None, ""))
        found[name] = tuple(dict.fromkeys(said))
    return found


def _without_label(value: str) -> str:
    """A value of a catalogue that was copied with its label: "Brand = Sitwell"."""
    return value.rpartition(" = ")[2]


def _site_of(url: str) -> str:
    """The name of the site without its country: the shops of one company are written by one hand."""
    return registrable_domain(url).partition(".")[0]


def _single_pages(source: Path) -> Iterator[LabelledPage]:
    """Pages of many shops: truth.json, and others.json for those that are no product's."""
    truth = json.loads((source / "truth.json").read_text(encoding="utf-8"))
    others_file = source / "others.json"
    others = json.loads(others_file.read_text(encoding="utf-8")) if others_file.exists() else {}
    for row in rows(source / "pages.jsonl.gz"):
        known = truth.get(row["id"])
        if known is None and row["id"] not in others:
            continue
        said = {OTHER_NAMES.get(name, name) for name in known or ()}
        fields = [name for name in FIELDS if OTHER_NAMES.get(name, name) in said]
        accepted = _accepted(known, fields) if known else {"price": ()}
        optional = known.get("optional", {}) if known else {}
        yield LabelledPage(
            source.name,
            _site_of(row["url"]),
            row["id"],
            row["url"],
            row["html"],
            accepted,
            known is not None,
            _accepted(optional, [name for name in FIELDS if OTHER_NAMES.get(name, name) in optional]),
        )


def _known_offers(source: Path) -> Iterator[LabelledPage]:
    """Sites with a catalogue: what an offer does not have is not known to be missing on its page."""
    for folder in sorted(file.parent for file in source.glob("*/offers.jsonl")):
        offers = {row["id"]: row for row in rows(folder / "offers.jsonl")}
        chosen = set(_sampled(offers, PER_SITE))
        for row in rows(folder / "pages.jsonl.gz"):
            if row["id"] in chosen:
                truth = {name: v for name, v in _accepted(offers[row["id"]], FIELDS).items() if v}
                goods, _, site = folder.name.partition("-")
                yield LabelledPage(source.name, site, row["id"], row["url"], row["html"], truth, True, {}, goods)


def _shop_crawls(source: Path) -> Iterator[LabelledPage]:
    """Recorded crawls of shops: their products, and other pages."""
    for file in sorted(source.glob("*.jsonl.gz")):
        site = file.name.removesuffix(".jsonl.gz")
        offers = json.loads(file.with_name(f"{site}.json").read_text(encoding="utf-8"))
        html = {
            row["url"]: row["html"]
            for row in rows(file)
            if row["status"] == 200 and row["html"] and "html" in (row["content_type"] or "html")
        }
        by_url = {url: offer for offer in offers for url in (offer["url"], *(offer.get("urls") or ())) if url in html}
        own = _sampled({offer["url"] for offer in by_url.values()} & html.keys(), PER_SITE)
        for url in own:
            yield LabelledPage(source.name, site, url, url, html[url], _crawl_truth(by_url[url]), True, {})
        for url in _sampled(html.keys() - by_url.keys(), OTHERS_PER_SITE):
            yield LabelledPage(source.name, site, url, url, html[url], {"price": ()}, False, {})


def _crawl_truth(offer: Mapping[str, Any]) -> Truth:
    truth = _accepted(offer, [name for name in FIELDS if name in offer])
    if any("-" in price for price in truth.get("price", ())):  # a range
        truth["price"] = tuple(end for price in truth["price"] for end in price.split("-"))
    return truth


def _shops(source: Path) -> Iterator[LabelledPage]:
    """Mirrored shops: the product pages by the paths of the truth; a page that no path names is no product's."""
    for archive in sorted(source.glob("*.tar.xz")):
        yield from _shop(archive, archive.name.removesuffix(".tar.xz"))


def _shop(archive: Path, site: str) -> Iterator[LabelledPage]:
    content = unpacked(archive)
    prefix = f"{site}/site"
    fields = json.loads(content[f"{site}/shop.json"])["fields"]
    offers = [json.loads(line) for line in content[f"{site}/truth.jsonl"].decode("utf-8").splitlines()]
    files = {name.removeprefix(prefix) for name in content if name.startswith(f"{prefix}/") and _may_be_page(name)}
    by_path = {
        file: offer
        for offer in offers
        for path in (offer["path"], *(offer.get("paths") or ()))
        if (file := file_of(unquote(path), files)) is not None
    }
    main = {file for offer in offers if (file := file_of(unquote(offer["path"]), files)) is not None}
    others = [path for path in files - by_path.keys() if b"<body" in content[prefix + path].lower()]
    for path in (*_sampled(main, PER_SITE), *_sampled(others, OTHERS_PER_SITE)):
        offer = by_path.get(path)
        truth = _accepted(offer, ["list_price", *fields]) if offer else {"price": ()}
        if offer and not fields.get("list_price"):
            del truth["list_price"]
        url = f"http://{site}.example{quote(path)}"
        html = Page(url, content[prefix + path]).html
        yield LabelledPage("shops", site, path, url, html, truth, offer is not None, {})


def _lists(source: Path) -> Iterator[LabelledPage]:
    """Lists of many sites, none of them a product's page."""
    for row in rows(source / "pages.jsonl.gz"):
        if row["url"]:
            yield LabelledPage("lists", _site_of(row["url"]), row["id"], row["url"], row["html"], {}, False, {})


def file_of(path: str, files: Collection[str]) -> str | None:
    return next((name for name in (path, f"{path.rstrip('/')}/index.html") if name in files), None)


def _may_be_page(name: str) -> bool:
    return name.rpartition("/")[2].rpartition(".")[2].lower() not in ASSETS


def unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        return {
            member.name: opened.extractfile(member).read()  # type: ignore[union-attr]
            for member in opened
            if member.isfile() and _may_be_page(member.name.replace("shop.json", "").replace("truth.jsonl", ""))
        }


_COLLECTIONS = {
    "product-pages": _single_pages,
    "product-pages-modern": _single_pages,
    "shops": _shops,
    "shop-crawls": _shop_crawls,
    "known-offers": _known_offers,
    "lists": _lists,
}
