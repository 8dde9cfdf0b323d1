"""Store: the one door to the database. Every method is one transaction and may be called from any thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, Any

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from scout.errors import UsageError
from scout.items import Visit
from scout.kept_page import KeptPage
from scout.offer import Offer
from scout.store import catalogue, crawls, forms, matches, offers, pages, rules, shops
from scout.store.batched import batched
from scout.store.catalogue import Imported, KnownOfferRecord
from scout.store.columns import now
from scout.store.crawls import CrawlRecord
from scout.store.engine import engine, reading, safe_url
from scout.store.failures import explained
from scout.store.forms import FormRecord
from scout.store.identity import digest
from scout.store.matches import MatchRecord
from scout.store.models import OfferAddress, PriceChange, StoredOffer
from scout.store.offers import OfferRecord, Saved
from scout.store.pages import StoredPage
from scout.store.rules import RulesRecord
from scout.store.schema import migrate
from scout.store.shops import ShopStatus
from scout.store.upsert import BATCH


class Store:
    """The database of shops, crawls, offers, the catalogue, matches and rules.

    A method that writes creates the shop it names where it is new; one that reads raises UsageError for a shop that is not there.
    What the database itself refuses is a StoreError.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine, self.name = engine, name

    @classmethod
    def open(cls, database_url: str) -> Store:
        """Connect; create or migrate the schema where needed. Many workers may do so at the same time."""
        store = cls(engine(database_url), safe_url(database_url))
        try:
            with store._refusals_explained():
                migrate(store._engine)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may write: committed at the end, undone by an exception. For what must be written together."""
        with self._refusals_explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads: one state of the database, without waiting for writers."""
        with self._refusals_explained(), reading(self._engine).begin() as connection:
            yield connection

    @contextmanager
    def _refusals_explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise explained(error, self.name) from error

    # --- shops ----------------------------------------------------------------------------------------------------------------

    def add_shop(self, name: str, url: str | None = None, interval: timedelta | None = None) -> bool:
        """Add a shop, or change the address or the interval of one that is there; True where it is new.

        An interval of zero means: only when asked.
        """
        seconds = None if interval is None else int(interval.total_seconds())
        with self.writing() as connection:
            return shops.set_shop(connection, shops.checked_name(name), {"url": url, "interval_seconds": seconds})

    def shops(self) -> list[ShopStatus]:
        """Every shop by name, with its last crawl, counts and what is due."""
        with self.reading() as connection:
            return shops.shop_statuses(connection)

    def shop(self, name: str) -> ShopStatus:
        """This shop and how it is doing."""
        with self.reading() as connection:
            _existing(connection, name)
            return shops.shop_statuses(connection, name)[0]

    def has_shop(self, name: str) -> bool:
        """Whether there is a shop of this name."""
        with self.reading() as connection:
            return shops.shop_id(connection, name) is not None

    def remove_shop(self, name: str) -> None:
        """Remove the shop with its offers, crawls, catalogue and rules."""
        with self.writing() as connection:
            if not shops.remove_shop(connection, name):
                raise _no_such_shop(name)

    # --- crawls ---------------------------------------------------------------------------------------------------------------

    def begin_crawl(self, shop: str, spider: str = crawls.WALK, *, url: str | None = None) -> int:
        """A new crawl of the shop; its id. `url` becomes the shop's address where it has none yet."""
        with self.writing() as connection:
            id_ = shops.ensured_shop(connection, shop, url)
            return crawls.begin_crawl(connection, id_, spider)

    def finish_crawl(self, crawl: int, reason: str, stats: Mapping[str, Any] | None = None) -> None:
        """The crawl has ended, for this reason ("finished": nothing was left to do) and with these figures."""
        with self.writing() as connection:
            crawls.finish_crawl(connection, crawl, reason, stats or {})

    def crawls(self, shop: str, spider: str | None = None) -> list[CrawlRecord]:
        """The crawls of the shop (by this spider), newest first."""
        with self.reading() as connection:
            return crawls.crawls(connection, _existing(connection, shop), spider)

    # --- offers ---------------------------------------------------------------------------------------------------------------

    def save_offers(self, shop: str, found: Iterable[Offer], crawl: int | None = None) -> Saved:
        """Insert or update these offers, each told by its addresses; never a second row for one product.

        Within one crawl a product that is met again keeps what only its earlier page said; a later crawl replaces all its values.
        Each batch of BATCH is one transaction.
        """
        total = Saved()
        for batch in batched(found, BATCH):
            with self.writing() as connection:
                total += offers.save_offers(connection, shops.ensured_shop(connection, shop), batch, crawl)
        return total

    def offers(self, shop: str | None = None, *, gone: bool = False) -> Iterator[OfferRecord]:
        """The offers of a shop, or of all, one after the other, however many.

        Those that the last complete crawl of their shop did not meet are left out, unless `gone` asks for them too.
        """
        with self.reading() as connection:
            names = [shop] if shop is not None else shops.shop_names(connection)
            for name in names:
                id_ = _existing(connection, name)
                present = func.coalesce(StoredOffer.crawl_id, 0) >= func.coalesce(crawls.last_complete(id_), 0)
                yield from offers.records(connection, StoredOffer.shop_id == id_, *([] if gone else [present]))

    def offer(self, shop: str, url: str) -> OfferRecord | None:
        """The offer at this address, which may be any of its addresses."""
        with self.reading() as connection:
            id_ = _existing(connection, shop)
            at_address = select(OfferAddress.offer_id).where(
                OfferAddress.shop_id == id_, OfferAddress.key == digest(url)
            )
            return next(offers.records(connection, StoredOffer.id.in_(at_address)), None)

    def price_history(self, shop: str, url: str) -> list[PriceChange]:
        """What the offer at this address cost, oldest first: a row for each change of price, currency or availability."""
        found = self.offer(shop, url)
        with self.reading() as connection:
            query = select(PriceChange.__table__).where(PriceChange.offer_id == (found.id if found else None))
            return [PriceChange(**row._mapping) for row in connection.execute(query.order_by(PriceChange.id))]

    # --- pages ----------------------------------------------------------------------------------------------------------------

    def pages(self, shop: str) -> Iterator[KeptPage]:
        """The product pages of the shop that were kept (SCOUT_KEEP_PAGES), as they were last fetched."""
        with self.reading() as connection:
            yield from pages.kept_pages(connection, _existing(connection, shop), shop)

    def page_counts(self) -> dict[str, tuple[int, int]]:
        """For each shop that has kept pages: how many, and how many bytes they take in the database."""
        with self.reading() as connection:
            return pages.page_counts(connection)

    def save_visits(self, shop: str, visits: Iterable[Visit], crawl: int | None = None) -> None:
        """Remember pages that have no offer of their own, or whose offer is still to come."""
        with self.writing() as connection:
            pages.save_visits(connection, shops.ensured_shop(connection, shop), visits, crawl)

    def stored_page(self, shop: str, url: str) -> StoredPage | None:
        """The page at this address, if it may stand in for its response."""
        with self.reading() as connection:
            return pages.stored_page(connection, _existing(connection, shop), url)

    def has_texts(self, shop: str) -> bool:
        """Whether the text of any page of the shop is stored; False also for a shop that is not there."""
        with self.reading() as connection:
            found = shops.shop_id(connection, shop)
            return found is not None and pages.has_texts(connection, found)

    def forget_texts(self, crawl: int) -> None:
        """The crawl is over and pages are not kept: what it stored of them for itself goes."""
        with self.writing() as connection:
            pages.forget_texts(connection, crawl)

    def forget_review_authors(self, days: int) -> int:
        """Remove the names of reviewers from offers and kept pages that were not read for so many days; how many offers' names."""
        before = now() - timedelta(days=days)
        with self.writing() as connection:
            pages.forget_review_authors(connection, before)
            return offers.forget_review_authors(connection, before)

    # --- the catalogue and its matches ----------------------------------------------------------------------------------------

    def import_catalogue(self, shop: str, rows: Iterable[Mapping[str, Any]], *, replace: bool = True) -> Imported:
        """These are the shop's known offers, with whatever columns they have; with `replace=False`, they are added to those before."""
        with self.writing() as connection:
            return catalogue.import_catalogue(connection, shops.ensured_shop(connection, shop), rows, replace=replace)

    def known_offers(self, shop: str) -> list[KnownOfferRecord]:
        """The catalogue's rows for this shop, in the order of the import."""
        with self.reading() as connection:
            return catalogue.known_offers(connection, _existing(connection, shop))

    def save_matches(self, shop: str, found: Iterable[MatchRecord]) -> int:
        """These are the shop's matches now, in place of those before; how many."""
        with self.writing() as connection:
            return matches.save_matches(connection, shops.ensured_shop(connection, shop), found)

    def matches(self, shop: str) -> list[MatchRecord]:
        """The shop's matches as they were last saved."""
        with self.reading() as connection:
            return matches.matches(connection, _existing(connection, shop))

    def accept_missing(self, shop: str, offer_ids: Iterable[int], reason: str) -> None:
        """These offers may be missing from the catalogue, for this reason: reports leave them out from now on."""
        with self.writing() as connection:
            matches.accept_missing(connection, shops.ensured_shop(connection, shop), offer_ids, reason)

    def accepted_missing(self, shop: str) -> dict[int, str]:
        """Offer id -> the reason for which it may be missing."""
        with self.reading() as connection:
            return matches.accepted_missing(connection, _existing(connection, shop))

    # --- rules ----------------------------------------------------------------------------------------------------------------

    def save_rules(self, shop: str, yaml: str) -> int:
        """Store these rules as the shop's newest version, unless they are that already; the version's number."""
        with self.writing() as connection:
            return rules.save_rules(connection, shops.ensured_shop(connection, shop), yaml)

    def rules(self, shop: str, version: int | None = None) -> RulesRecord | None:
        """The shop's rules of this version, or the newest; None where none were stored."""
        with self.reading() as connection:
            return rules.rules(connection, _existing(connection, shop), version)

    # --- query forms ----------------------------------------------------------------------------------------------------------

    def save_form(self, shop: str, form: FormRecord, values: Mapping[str, Iterable[str]]) -> int:
        """A query form of the shop with its attribute index as they are now; how many values that has."""
        with self.writing() as connection:
            return forms.save_form(connection, shops.ensured_shop(connection, shop), form, values)

    def forms(self, shop: str) -> list[FormRecord]:
        """The shop's query forms."""
        with self.reading() as connection:
            return forms.forms(connection, _existing(connection, shop))

    def write_index(self, shop: str, file: IO[bytes]) -> int:
        """Write the attribute index of the shop's forms as SOIF; how many forms."""
        with self.reading() as connection:
            return forms.write_index(connection, _existing(connection, shop), file)


def _existing(connection: Connection, shop: str) -> int:
    found = shops.shop_id(connection, shop)
    if found is None:
        raise _no_such_shop(shop)
    return found


def _no_such_shop(name: str) -> UsageError:
    return UsageError(f"There is no shop called {name!r} in the database. `scrapy shops list` shows those there are.")
