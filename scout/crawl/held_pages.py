"""Product pages that the spider holds back: until the shop's rules are known, or until the end, when its template is known best."""

from __future__ import annotations

from dataclasses import dataclass, field

from scout.items import PageItem
from scout.walking.walk import PageVerdict

MAX_UNDECIDED = 100  # pages that wait for the end


@dataclass
class HeldPages:
    """The pages that wait. A page of which an item is held is not over: a killed crawl would lose it."""

    sample: list[PageItem] = field(default_factory=list)
    undecided: list[tuple[PageItem, PageVerdict]] = field(default_factory=list)
    _tokens: set[str | None] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.sample or self.undecided)

    def __len__(self) -> int:
        return len(self._tokens)

    def has(self, token: str | None) -> bool:
        """Whether an item of the page with this token waits."""
        return token is not None and token in self._tokens

    def add_sample(self, item: PageItem) -> None:
        """Hold a product until there are rules."""
        self.sample.append(item)
        self._tokens.add(item.token)

    def add_undecided(self, item: PageItem, verdict: PageVerdict) -> None:
        """Hold what may be a product until the end, as far as there is room."""
        if len(self.undecided) < MAX_UNDECIDED:
            self.undecided.append((item, verdict))
            self._tokens.add(item.token)

    def release_sample(self) -> list[PageItem]:
        """The products that waited for rules."""
        released, self.sample = self.sample, []
        self._tokens.difference_update(item.token for item in released)
        return released

    def release_undecided(self) -> list[tuple[PageItem, PageVerdict]]:
        """The pages that waited for the end."""
        released, self.undecided = self.undecided, []
        self._tokens.difference_update(item.token for item, _ in released)
        return released
