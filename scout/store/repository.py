"""Store: all access to the database. Every method is one transaction and may be called from any thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import IO, Any

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import SQLAlchemyError

from scout.errors import StoreError, UsageError
from scout.items import Visit
from scout.kept_page import KeptPage
from scout.offer import Offer
from scout.store import catalogue, changes, crawls, forms, matches, offers, pages, presence, price_age, rules, shops
from scout.store.batched import batched
from scout.store.catalogue import ImportCounts, KnownOfferRecord
from scout.store.changes import ChangeRecord
from scout.store.columns import now
from scout.store.crawls import CrawlRecord
from scout.store.engine import engine, protect, read_only, sqlite_file, url_without_password
from scout.store.failures import store_error
from scout.store.forms import FormRecord
from scout.store.identity import digest
from scout.store.matches import Decision, MatchRecord
from scout.store.models import OfferAddress, PriceChange, StoredOffer
from scout.store.offers import OfferRecord, SaveCounts
from scout.store.pages import StoredPage
from scout.store.rules import RulesRecord
from scout.store.schema import HEAD, current_revision, migrate
from scout.store.shops import ShopStatus
from scout.store.upsert import BATCH


class Store:
    """The database of shops, crawls, offers, the catalogue, matches and rules.

    Methods that write add the shop if it is new; methods that read raise UsageError if there is no such shop.
    Errors of the database are StoreErrors.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine, self.name = engine, name

    @classmethod
    def open(cls, database_url: str) -> Store:
        """Connect; create or migrate the schema if needed. Many workers may do so at the same time."""
        store = cls(engine(database_url), url_without_password(database_url))
        try:
            with store._translate_errors():
                migrate(store._engine)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open_protected(cls, database_url: str) -> Store:
        """Connect to a database that there is already; nothing can be changed through this store, by whatever is called."""
        store = cls(engine(database_url), url_without_password(database_url))
        file = sqlite_file(store._engine.url)
        if file is not None and not file.exists():
            raise StoreError(f"There is no database {file}: crawl a shop first, or set SCOUT_DATABASE")
        try:
            with store._translate_errors(), store._engine.connect() as connection:
                revision = current_revision(connection)
            if revision != HEAD:
                raise StoreError(
                    f"{store.name} has schema {revision}, this version {HEAD}: run `scout shops list` once"
                )
            protect(store._engine)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may write: committed at the end, rolled back by an exception."""
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads: a snapshot, without waiting for writers."""
        with self._translate_errors(), read_only(self._engine).begin() as connection:
            yield connection

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise store_error(error, self.name) from error

    # --- shops ----------------------------------------------------------------------------------------------------------------

    def add_shop(
        self,
        name: str,
        url: str | None = None,
        interval: timedelta | None = None,
        *,
        quiet_hours: str | None = None,
        limits: Mapping[str, Any] | None = None,
        refresh: timedelta | None = None,
    ) -> bool:
        """Add a shop, or change the values of an existing one that are not None; True if it is new.

        An interval of zero means: crawl only on request. A fleet does not crawl it in its `quiet_hours` (local time, "22:00-06:00"), crawls
        it with the settings in `limits`, and refreshes its prices when `refresh` has passed since they were last read; zero means never.
        """
        values: dict[str, Any] = {"url": url, "quiet_hours": quiet_hours, "limits": limits}
        for column, span in (("interval_seconds", interval), ("refresh_seconds", refresh)):
            values[column] = None if span is None else int(span.total_seconds())
        with self.writing() as connection:
            return shops.add_or_update_shop(connection, shops.check_shop_name(name), values)

    def pause_shops(self, names: Iterable[str], *, is_paused: bool = True) -> None:
        """Leave these shops alone until they are resumed (`is_paused=False`)."""
        with self.writing() as connection:
            for name in names:
                _require_shop(connection, name)
            shops.pause_shops(connection, list(names), is_paused=is_paused)

    def shops(self) -> list[ShopStatus]:
        """The status of every shop, by name."""
        with self.reading() as connection:
            return shops.shop_statuses(connection)

    def shop(self, name: str) -> ShopStatus:
        """The status of this shop."""
        with self.reading() as connection:
            _require_shop(connection, name)
            return shops.shop_statuses(connection, name)[0]

    def has_shop(self, name: str) -> bool:
        """Whether there is a shop with this name."""
        with self.reading() as connection:
            return shops.shop_id(connection, name) is not None

    def remove_shop(self, name: str) -> None:
        """Remove the shop with its offers, crawls, catalogue and rules."""
        with self.writing() as connection:
            if not shops.remove_shop(connection, name):
                raise _no_such_shop(name)

    # --- crawls ---------------------------------------------------------------------------------------------------------------

    def begin_crawl(self, shop: str, spider: str = crawls.SHOP_SPIDER, *, url: str | None = None) -> int:
        """Add a crawl of the shop and return its id. `url` becomes the shop's URL if it has none yet."""
        with self.writing() as connection:
            id_ = shops.ensure_shop(connection, shop, url)
            return crawls.begin_crawl(connection, id_, spider)

    def finish_crawl(self, crawl: int, reason: str, stats: Mapping[str, Any] | None = None) -> None:
        """Store why the crawl ended (`finished`: no requests were left), and its stats."""
        with self.writing() as connection:
            crawls.finish_crawl(connection, crawl, reason, stats or {})

    def limit_to_part(self, crawl: int) -> None:
        """This crawl walks a part of its shop: what it does not see is not gone."""
        with self.writing() as connection:
            crawls.limit_to_part(connection, crawl)

    def crawls(self, shop: str, spider: str | None = None) -> list[CrawlRecord]:
        """The crawls of the shop, or only those by this spider, newest first."""
        with self.reading() as connection:
            return crawls.crawls(connection, _require_shop(connection, shop), spider)

    def confirm_prices(self, crawl: int, offers: Iterable[int]) -> None:
        """This crawl has seen the stored prices of these offers in the shop, though it has not read their pages."""
        with self.writing() as connection:
            price_age.confirm_prices(connection, crawl, offers)

    # --- offers ---------------------------------------------------------------------------------------------------------------

    def save_offers(
        self,
        shop: str,
        new_offers: Iterable[Offer],
        crawl: int | None = None,
        leases: Mapping[str, int] = MappingProxyType({}),
    ) -> SaveCounts:
        """Insert or update these offers, each identified by its URLs; a product never gets a second row.

        A product seen again in the same crawl keeps values that only its earlier page has; a later crawl replaces all values.
        Each batch of BATCH offers is one transaction. Offers of pages whose lease (`leases`: page -> number) went to another worker
        are not saved.
        """
        total = SaveCounts()
        for batch in batched(new_offers, BATCH):
            with self.writing() as connection:
                total += offers.save_offers(connection, shops.ensure_shop(connection, shop), batch, crawl, leases)
        return total

    def offers(self, shop: str | None = None, *, gone: bool = False) -> Iterator[OfferRecord]:
        """The offers of a shop, or of all shops, read in batches.

        Offers that are gone from their shop are left out, unless `gone` is true. Each has a `state`: current, unreached or gone.
        """
        with self.reading() as connection:
            names = [shop] if shop is not None else shops.shop_names(connection)
            for name in names:
                id_ = _require_shop(connection, name)
                yield from _offers_with_state(connection, id_, gone=gone)

    def concept_values(self, concept: str) -> Iterator[dict[str, Any]]:
        """Every shop's value of one concept ("screen_size"): shop, url, name, value, quantity, unit and qualifier."""
        with self.reading() as connection:
            for row in offers.concept_values(connection, concept):
                yield dict(zip(row._fields, row, strict=True))

    def facts(self, shop: str) -> dict[str, dict[str, str]]:
        """The values of the shop's products by which its rules are checked, by their addresses."""
        with self.reading() as connection:
            return offers.read_facts(connection, _require_shop(connection, shop))

    def offer_ids_of_crawl(self, crawl: int) -> list[int]:
        """The ids of the offers that a crawl has seen so far."""
        query = select(StoredOffer.id).where(StoredOffer.crawl_id == crawl).order_by(StoredOffer.id)
        with self.reading() as connection:
            return list(connection.execute(query).scalars())

    def offers_by_id(self, ids: Sequence[int]) -> list[OfferRecord]:
        """The offers with these ids."""
        with self.reading() as connection:
            return list(offers.read_offers(connection, StoredOffer.id.in_(ids)))

    def offer(self, shop: str, url: str) -> OfferRecord | None:
        """The offer at this URL, which may be any of its URLs."""
        with self.reading() as connection:
            id_ = _require_shop(connection, shop)
            at_address = select(OfferAddress.offer_id).where(
                OfferAddress.shop_id == id_, OfferAddress.key == digest(url)
            )
            return next(offers.read_offers(connection, StoredOffer.id.in_(at_address)), None)

    def price_history(self, shop: str, url: str) -> list[PriceChange]:
        """The changes of price, currency or availability of the offer at this URL, oldest first."""
        offer = self.offer(shop, url)
        with self.reading() as connection:
            query = select(PriceChange.__table__).where(PriceChange.offer_id == (offer.id if offer else None))
            return [PriceChange(**row._mapping) for row in connection.execute(query.order_by(PriceChange.id))]

    def changes(
        self, shop: str | None = None, since: datetime | None = None, kinds: Sequence[str] = changes.KINDS
    ) -> list[ChangeRecord]:
        """What complete crawls found changed, newest first."""
        with self.reading() as connection:
            id_ = None if shop is None else _require_shop(connection, shop)
            return list(changes.read_changes(connection, id_, since, kinds))

    def unsettled_changes(self, shop: str) -> list[ChangeRecord]:
        """The shop's changes that no webhook has received yet, oldest first."""
        with self.reading() as connection:
            return changes.unsettled_changes(connection, _require_shop(connection, shop))

    def settle_changes(self, ids: Iterable[int]) -> None:
        """These changes need not be sent any more."""
        with self.writing() as connection:
            changes.settle_changes(connection, ids)

    # --- pages ----------------------------------------------------------------------------------------------------------------

    def pages(self, shop: str) -> Iterator[KeptPage]:
        """The kept product pages of the shop (SCOUT_KEEP_PAGES), as last fetched."""
        with self.reading() as connection:
            yield from pages.kept_pages(connection, _require_shop(connection, shop), shop)

    def page_counts(self) -> dict[str, tuple[int, int]]:
        """For each shop with kept product pages: their number, and the bytes they take in the database."""
        with self.reading() as connection:
            return pages.page_counts(connection)

    def save_visits(self, shop: str, visits: Iterable[Visit], crawl: int | None = None) -> None:
        """Store pages without an offer, or whose offer is not stored yet."""
        with self.writing() as connection:
            pages.save_visits(connection, shops.ensure_shop(connection, shop), visits, crawl)

    def stored_page(self, shop: str, url: str) -> StoredPage | None:
        """The page at this URL, if it can replace a response."""
        with self.reading() as connection:
            return pages.stored_page(connection, _require_shop(connection, shop), url)

    def has_replacements(self, shop: str, crawl: int | None) -> bool:
        """Whether a stored page may replace a response in this crawl; False for an unknown shop."""
        with self.reading() as connection:
            id_ = shops.shop_id(connection, shop)
            return id_ is not None and pages.has_replacements(connection, id_, crawl)

    def delete_page_texts(self, crawl: int, *, only_waiting: bool = False) -> None:
        """Delete the page texts that this crawl stored, or only those without an offer; for when it has ended."""
        with self.writing() as connection:
            pages.delete_page_texts(connection, crawl, only_waiting=only_waiting)

    def prune_pages(self, megabytes: float, tolerance: float = 0.0) -> int:
        """Delete the oldest page texts of the database beyond this size; returns how many."""
        with self.writing() as connection:
            return pages.prune_pages(connection, int(megabytes * pages.MEGABYTE), tolerance)

    def forget_review_authors(self, days: int) -> int:
        """Remove reviewers' names from offers and pages older than this; returns the number of names removed from offers."""
        before = now() - timedelta(days=days)
        with self.writing() as connection:
            pages.forget_review_authors(connection, before)
            return offers.forget_review_authors(connection, before)

    # --- the catalogue and its matches ----------------------------------------------------------------------------------------

    def import_catalogue(self, shop: str, rows: Iterable[Mapping[str, Any]], *, replace: bool = True) -> ImportCounts:
        """Set the shop's known offers, with any columns; `replace=False` keeps earlier ones."""
        with self.writing() as connection:
            return catalogue.import_catalogue(connection, shops.ensure_shop(connection, shop), rows, replace=replace)

    def known_offers(self, shop: str) -> list[KnownOfferRecord]:
        """The catalogue's rows for this shop, in the order of the imported file."""
        with self.reading() as connection:
            return catalogue.known_offers(connection, _require_shop(connection, shop))

    def save_matches(self, shop: str, new_matches: Iterable[MatchRecord]) -> int:
        """Replace the shop's matches; returns their number."""
        with self.writing() as connection:
            return matches.save_matches(connection, shops.ensure_shop(connection, shop), new_matches)

    def matches(self, shop: str) -> list[MatchRecord]:
        """The shop's matches, as last saved."""
        with self.reading() as connection:
            return matches.matches(connection, _require_shop(connection, shop))

    def save_decisions(self, shop: str, decided: Iterable[Decision]) -> None:
        """Keep what a person decided about offers and rows of the catalogue: every later report uses it."""
        with self.writing() as connection:
            matches.save_decisions(connection, _require_shop(connection, shop), decided)

    def decisions(self, shop: str) -> dict[tuple[str, str], bool]:
        """(the digest of an offer's URL, the key of a row or "" for all) -> whether they are the same."""
        with self.reading() as connection:
            return matches.decisions(connection, _require_shop(connection, shop))

    def accept_missing(self, shop: str, offer_ids: Iterable[int], reason: str) -> None:
        """Accept that these offers are missing from the catalogue: reports leave them out."""
        with self.writing() as connection:
            matches.accept_missing(connection, shops.ensure_shop(connection, shop), offer_ids, reason)

    def accepted_missing(self, shop: str) -> dict[int, str]:
        """Offer id -> why it may be missing from the catalogue."""
        with self.reading() as connection:
            return matches.accepted_missing(connection, _require_shop(connection, shop))

    # --- rules ----------------------------------------------------------------------------------------------------------------

    def save_rules(self, shop: str, yaml: str) -> int:
        """Store the rules as a new version, unless the newest has the same text; returns the version's number."""
        with self.writing() as connection:
            return rules.save_rules(connection, shops.ensure_shop(connection, shop), yaml)

    def rules(self, shop: str, version: int | None = None) -> RulesRecord | None:
        """This version of the shop's rules, or the newest; None if there is none."""
        with self.reading() as connection:
            return rules.rules(connection, _require_shop(connection, shop), version)

    # --- query forms ----------------------------------------------------------------------------------------------------------

    def save_form(self, shop: str, form: FormRecord, values: Mapping[str, Iterable[str]]) -> int:
        """Store a query form and its attribute index in place of earlier ones; returns the number of values."""
        with self.writing() as connection:
            return forms.save_form(connection, shops.ensure_shop(connection, shop), form, values)

    def forms(self, shop: str) -> list[FormRecord]:
        """The shop's query forms."""
        with self.reading() as connection:
            return forms.forms(connection, _require_shop(connection, shop))

    def write_index(self, shop: str, file: IO[bytes]) -> int:
        """Write the attribute index of the shop's forms as SOIF; returns the number of forms."""
        with self.reading() as connection:
            return forms.write_index(connection, _require_shop(connection, shop), file)


def _offers_with_state(connection: Connection, shop: int, *, gone: bool) -> Iterator[OfferRecord]:
    own, gone_condition = StoredOffer.shop_id == shop, presence.is_gone(shop)
    gone_ids = set(connection.execute(select(StoredOffer.id).where(own, gone_condition)).scalars())
    newest = presence.newest_crawl(connection, shop)
    for record in offers.read_offers(connection, own):
        record.state = presence.state_of(record.crawl, newest, gone=record.id in gone_ids)
        if gone or record.state != presence.GONE:
            yield record


def _require_shop(connection: Connection, shop: str) -> int:
    id_ = shops.shop_id(connection, shop)
    if id_ is None:
        raise _no_such_shop(shop)
    return id_


def _no_such_shop(name: str) -> UsageError:
    return UsageError(f"There is no shop called {name!r} in the database. `scout shops list` shows all shops.")
