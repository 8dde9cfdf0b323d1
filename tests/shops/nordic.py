"""A Swedish shop: departments in a menu without list items, an overview of shelves, lists of two pages, and pages of information."""

from __future__ import annotations

from tests.crawl.serving import Answer

DEPARTMENTS = {"lampor": "Lampor", "stolar": "Stolar", "bord": "Bord"}
SHELVES = {"vaser": "Vaser", "ljus": "Ljus", "speglar": "Speglar", "klockor": "Klockor"}
INFORMATION = {"om-oss": "Om oss", "frakt": "Frakt och leverans", "villkor": "Köpvillkor"}
LISTS = {**DEPARTMENTS, **SHELVES}
PER_LIST, PER_PAGE = 6, 4
NAMES = ("Ängel", "Björk", "Dimma", "Fjäll", "Glöd", "Hav")
PRODUCTS = {
    f"/vara/{list_}-{number}": (f"{name} {title.lower()} {at}{number}", f"{at * 110 + number * 7 + 90},50 kr", list_)
    for at, (list_, title) in enumerate(LISTS.items(), start=1)
    for number, name in enumerate(NAMES)
}


def nordic_shop() -> dict[str, str | Answer]:
    """Its pages by path."""
    tiles = "".join(f'<div class="ruta"><a href="/hylla/{path}">{name}</a></div>' for path, name in SHELVES.items())
    pages: dict[str, str | Answer] = {
        "/": page("Nordbutiken", "<p>Allt för hemmet, direkt från skogen.</p>"),
        "/inredning": page("Inredning", f'<h1>Inredning</h1><div class="rutor">{tiles}</div>'),
        "/robots.txt": Answer("", 404),
    }
    for path, name in INFORMATION.items():
        pages[f"/info/{path}"] = page(name, f"<h1>{name}</h1><p>{name}: vi svarar gärna på frågor per telefon.</p>")
    for path in LISTS:
        own = [url for url, product in PRODUCTS.items() if product[2] == path]
        further = f'<a rel="next" href="{address(path)}?sida=2">Nästa</a>'
        pages[address(path)] = listing(path, own[:PER_PAGE], further)
        pages[f"{address(path)}?sida=2"] = listing(path, own[PER_PAGE:], "")
    return {**pages, **{url: detail(url) for url in PRODUCTS}}


def address(path: str) -> str:
    return f"/{'avdelning' if path in DEPARTMENTS else 'hylla'}/{path}"


def page(title: str, content: str) -> str:
    entries = {address(path): name for path, name in DEPARTMENTS.items()} | {"/inredning": "Inredning"}
    entries |= {f"/info/{path}": name for path, name in INFORMATION.items()}
    menu = "".join(f'<a href="{path}">{name}</a>' for path, name in entries.items())
    return (
        f"<!DOCTYPE html><html lang='sv'><head><title>{title}</title></head><body><nav>{menu}</nav>"
        f"<main>{content}</main><footer>Nordbutiken AB, Storgatan 1</footer></body></html>"
    )


def listing(path: str, urls: list[str], further: str) -> str:
    cards = "".join(
        f'<div class="kort"><a href="{url}"><img src="/bild{url}.jpg" alt="">{PRODUCTS[url][0]}</a><b class="pris">{PRODUCTS[url][1]}</b></div>'
        for url in urls
    )
    return page(
        LISTS[path], f'<h1>{LISTS[path]}</h1><div class="varor">{cards}</div><div class="pager">{further}</div>'
    )


def detail(url: str) -> str:
    title, price, path = PRODUCTS[url]
    return page(
        title,
        f'<div class="breadcrumb"><a href="/">Hem</a> › <a href="{address(path)}">{LISTS[path]}</a></div><div class="produkt">'
        f'<img src="/bild{url}.jpg" alt="{title}"><h1>{title}</h1><p class="pris">{price}</p><p>I lager</p>'
        f"<button>Lägg i varukorgen</button><table><tr><th>Artikelnummer</th><td>NB{url[6:].upper()}</td></tr></table>"
        f"<p>{title} görs för hand i vår egen verkstad, en i taget.</p></div>",
    )
