"""Pages that the spider holds back: products until the shop's rules are known, others until their template is decided."""

from __future__ import annotations

from dataclasses import dataclass, field

from scout.crawl.pages_in_progress import PageResult
from scout.items import PageItem
from scout.walking.steps import PageVerdict, Step

MAX_UNDECIDED = 100  # pages that wait; then their templates are decided by what is known


@dataclass(frozen=True)
class UndecidedPage:
    """A page that is a product's or not, with what it is in the account if it is none."""

    item: PageItem
    verdict: PageVerdict
    came: Step
    result: PageResult


@dataclass
class HeldPages:
    """The pages that wait. A page of which an item is held is not over: a killed crawl would lose it."""

    sample: list[PageItem] = field(default_factory=list)
    undecided: list[UndecidedPage] = field(default_factory=list)

    @property
    def _tokens(self) -> set[str | None]:
        return {item.token for item in (*self.sample, *(page.item for page in self.undecided))}

    def __len__(self) -> int:
        return len(self._tokens)

    def has(self, token: str | None) -> bool:
        """Whether an item of the page with this token waits."""
        waiting = (self.sample, (page.item for page in self.undecided))
        return token is not None and any(item.token == token for items in waiting for item in items)

    @property
    def is_full(self) -> bool:
        """Whether no more undecided pages should wait."""
        return len(self.undecided) >= MAX_UNDECIDED

    def release_sample(self) -> list[PageItem]:
        """The products that waited for rules."""
        released, self.sample = self.sample, []
        return released

    def release_decided(self) -> list[UndecidedPage]:
        """The pages whose template has been decided by now."""
        released = [page for page in self.undecided if page.verdict.is_product is not None]
        if released:
            self.undecided = [page for page in self.undecided if page.verdict.is_product is None]
        return released
