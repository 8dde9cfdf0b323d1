"""The database: `Store.open(url)`, and the types that its methods take and return."""

from scout.store.catalogue import ImportCounts, KnownOfferRecord
from scout.store.changes import ChangeRecord
from scout.store.crawls import CrawlRecord
from scout.store.matches import MatchRecord
from scout.store.offers import OfferRecord, SaveCounts
from scout.store.repository import Store
from scout.store.rules import RulesRecord
from scout.store.shops import ShopStatus

__all__ = [
    "ChangeRecord",
    "CrawlRecord",
    "ImportCounts",
    "KnownOfferRecord",
    "MatchRecord",
    "OfferRecord",
    "RulesRecord",
    "SaveCounts",
    "ShopStatus",
    "Store",
]
