"""The database: `Store.open(url)`; everything else here is what its methods take and return."""

from scout.store.catalogue import Imported, KnownOfferRecord
from scout.store.crawls import CrawlRecord
from scout.store.matches import MatchRecord
from scout.store.offers import OfferRecord, Saved
from scout.store.repository import Store
from scout.store.rules import RulesRecord
from scout.store.shops import ShopStatus

__all__ = [
    "CrawlRecord",
    "Imported",
    "KnownOfferRecord",
    "MatchRecord",
    "OfferRecord",
    "RulesRecord",
    "Saved",
    "ShopStatus",
    "Store",
]
