"""The collections of pages that bench/differ.py asks Scout about, and which pages of each are chosen.

Whatever is chosen is chosen by a hash of its name, so that it does not depend on the order of files or on what else is there.
"""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from bench.differ_answers import Site, StoredPage
from bench.known_offers import META, rows

OWN_PAGES = "own-pages.jsonl.gz"  # in the folder of recordings: tests may be rewritten, the pages stay
SHARDS = 12  # parts of a collection of single pages
SITE_ALONE, SITE_TRIED, SITE_INDUCED = 25, 10, 12  # pages of a site of known-offers
CATALOGUES = (50, 10)  # known offers to learn from
CRAWL_DETAILS, CRAWL_OTHERS = 30, 30
MIRROR_ALONE = 40
TRUTH_FIELDS = ("title", "price", "sku", "brand", "ean")
ASSETS = frozenset(
    "css js png jpg jpeg gif svg webp ico bmp woff woff2 ttf eot otf xml txt json pdf zip gz mp4 webm mp3 map swf md "
    "atom rss oembed csv avif".split()
)


@dataclass(frozen=True)
class Unit:
    """A piece of work for one process: a site, or a part of a collection of single pages."""

    collection: str
    source: Path
    part: str = ""


def chosen(names: Iterable[str], count: int) -> list[str]:
    """A sample that is spread over all names and always the same."""
    return sorted(sorted(set(names), key=lambda name: sha256(name.encode("utf-8", "replace")).digest())[:count])


# --- single pages -----------------------------------------------------------------------------------------------------
@cache
def _stored_rows(file: Path) -> list[dict[str, Any]]:
    return rows(file)


def single_pages(unit: Unit) -> Site:
    """A part of the pages of a collection in which each stands for itself."""
    part = _stored_rows(unit.source / "pages.jsonl.gz")[int(unit.part) :: SHARDS]
    pages = {row["id"]: (row["url"] or "http://list.example/", row["html"]) for row in part}
    return Site(unit.collection, pages, alone=sorted(pages))


def _shards(collection: str, source: Path) -> list[Unit]:
    return [Unit(collection, source, str(number)) for number in range(SHARDS)] if source.exists() else []


# --- pages of our own -------------------------------------------------------------------------------------------------
def own_site(unit: Unit) -> Site:
    """One of the shops of bench/sample.py, or the pages of a test module."""
    mine = {row["id"]: row for row in _stored_rows(unit.source) if row["site"] == unit.part}
    pages = {key: (row["url"], row["html"]) for key, row in mine.items()}
    known = [(key, row["known"]) for key, row in mine.items() if "known" in row]
    if not known:
        return Site(unit.part, pages, alone=sorted(pages))
    others = sorted(pages.keys() - dict(known).keys())
    site = Site(unit.part, pages, alone=others[:SITE_ALONE], tried=others[-SITE_TRIED:])
    site.known, site.induce_from = {f"{len(known)} offers": known}, others[:SITE_INDUCED]
    return site


def _own_units(collection: str, source: Path) -> list[Unit]:
    names = sorted({row["site"] for row in rows(source)}) if source.exists() else []
    return [Unit(collection, source, name) for name in names]


# --- sites with a catalogue -------------------------------------------------------------------------------------------
def known_offers_site(unit: Unit) -> Site:
    """A site of known-offers: rules from 50 and from 10 offers of its train part."""
    offers = rows(unit.source / "offers.jsonl")
    values = {row["id"]: {k: v for k, v in row.items() if k not in META} for row in offers}
    training = [row["id"] for row in offers if row["split"] == "train"]
    others = [row["id"] for row in offers if row["split"] == "test"]
    site = Site(
        unit.source.name, {row["id"]: (row["url"], row["html"]) for row in rows(unit.source / "pages.jsonl.gz")}
    )
    site.alone, site.tried = chosen(others, SITE_ALONE), chosen(others, SITE_TRIED)
    site.induce_from = chosen(training, SITE_INDUCED)
    site.known = {f"{count} offers": [(key, values[key]) for key in training[:count]] for count in CATALOGUES}
    return site


def crawl_site(unit: Unit) -> Site:
    """A recorded crawl: some product pages, and some others."""
    truth = json.loads(unit.source.with_name(f"{unit.part}.json").read_text(encoding="utf-8"))
    found = {row["url"]: row for row in rows(unit.source) if _is_page(row)}
    known = {url: _values(offer) for offer in truth for url in [offer["url"]] if url in found}
    details = {url for offer in truth for url in [offer["url"], *(offer.get("urls") or ())]} & found.keys()
    alone = [*chosen(details, CRAWL_DETAILS), *chosen(found.keys() - details, CRAWL_OTHERS)]
    pages = {url: (url, row["html"]) for url, row in found.items()}
    return with_catalogue(Site(unit.part, pages, alone=sorted(alone)), known)


def _is_page(row: Mapping[str, Any]) -> bool:
    return row["status"] == 200 and bool(row["html"]) and "html" in (row["content_type"] or "html")


def mirror_site(unit: Unit) -> Site:
    """A mirrored shop, read from its archive."""
    with tarfile.open(unit.source) as archive:
        names = [member.name for member in archive if member.isfile()]
    prefix = f"{unit.part}/site"
    paths = {name.removeprefix(prefix) for name in names if name.startswith(prefix) and _may_be_page(name)}
    truth_file = f"{unit.part}/truth.jsonl"
    truth = _truth(_contents(unit.source, [truth_file])[truth_file], paths)
    alone, details = chosen(paths, MIRROR_ALONE), chosen(truth, SITE_INDUCED + SITE_TRIED)
    contents = _contents(unit.source, {prefix + path for path in [*alone, *details]})
    pages: dict[str, StoredPage] = {
        path: (f"http://{unit.part}.example{quote(path)}", content)
        for path in sorted({*alone, *details})
        if b"<" in (content := contents[prefix + path])[:2000]
    }
    site = Site(unit.part, pages, alone=[path for path in alone if path in pages])
    return with_catalogue(site, {path: truth[path] for path in details if path in pages})


def _may_be_page(name: str) -> bool:
    return name.rpartition("/")[2].rpartition(".")[2].lower() not in ASSETS


def _contents(archive: Path, names: Collection[str]) -> dict[str, bytes]:
    """Files of an archive, in one pass: going back in a packed one means to unpack it again."""
    with tarfile.open(archive) as opened:
        return {m.name: opened.extractfile(m).read() for m in opened if m.name in names}  # type: ignore[union-attr]


def _truth(text: bytes, paths: Collection[str]) -> dict[str, dict[str, str]]:
    """File -> what is known of the product on it."""
    offers = [json.loads(line) for line in text.decode("utf-8").splitlines()]
    files = {unquote(offer["path"]): _values(offer) for offer in offers}
    indexed = {path if path in paths else f"{path.rstrip('/')}/index.html": values for path, values in files.items()}
    return {path: values for path, values in indexed.items() if path in paths}


def _values(offer: Mapping[str, Any]) -> dict[str, str]:
    return {name: offer[name] for name in TRUTH_FIELDS if offer.get(name)}


def with_catalogue(site: Site, known: Mapping[str, Mapping[str, str]]) -> Site:
    """The site with some known offers to learn from, their pages to induce from, and other product pages to try the rules on."""
    keys = chosen(known, SITE_INDUCED + SITE_TRIED)
    site.tried = chosen(keys, min(SITE_TRIED, len(keys) // 2))
    site.induce_from = sorted(set(keys) - set(site.tried))
    if site.induce_from:
        site.known = {f"{len(site.induce_from)} offers": [(key, known[key]) for key in site.induce_from]}
    return site


# --- all of them ------------------------------------------------------------------------------------------------------
def _site_folders(collection: str, source: Path) -> list[Unit]:
    return [Unit(collection, file.parent, file.parent.name) for file in sorted(source.glob("*/offers.jsonl"))]


def _files(suffix: str) -> Callable[[str, Path], list[Unit]]:
    return lambda collection, source: [
        Unit(collection, file, file.name.removesuffix(suffix)) for file in sorted(source.glob(f"*{suffix}"))
    ]


Units = Callable[[str, Path], list[Unit]]
COLLECTIONS: dict[str, tuple[Units, Callable[[Unit], Site]]] = {
    "known-offers": (_site_folders, known_offers_site),  # the longest pieces of work first
    "shops": (_files(".tar.xz"), mirror_site),
    "shop-crawls": (_files(".jsonl.gz"), crawl_site),
    "product-pages": (_shards, single_pages),
    "product-pages-modern": (_shards, single_pages),
    "lists": (_shards, single_pages),
    "specifications": (_shards, single_pages),
    "own": (_own_units, own_site),
}


def units(collection: str, data: Path, recordings: Path) -> list[Unit]:
    """The work on a collection; none where its data is not there."""
    source = recordings / OWN_PAGES if collection == "own" else data / collection
    return COLLECTIONS[collection][0](collection, source)


def load_site(unit: Unit) -> Site:
    """The pages of a unit."""
    return COLLECTIONS[unit.collection][1](unit)


def write_rows(file: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Packed JSON lines, the same bytes for the same rows."""
    text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    file.write_bytes(gzip.compress(text.encode(), mtime=0))
