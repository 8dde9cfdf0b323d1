"""What all who read a page begin with: its head, its markup, the headings it shows, and its title. Read once and kept with the page."""

from __future__ import annotations

from functools import cached_property
from weakref import ref

from scout.extraction.ballot import Claim
from scout.extraction.document_head import DocumentHead
from scout.extraction.labels import label_claims
from scout.extraction.lexicon import Lexicon
from scout.extraction.markup import Markup, claims, subjects
from scout.extraction.single_product_data import lone_product_claims
from scout.extraction.structured_data import things
from scout.extraction.titles import Heading, TitleElection, seen_text, shown_headings
from scout.extraction.view import View
from scout.page import Page


class PageReading:
    """One page as the lexicon `words` reads it."""

    def __init__(self, page: Page, words: Lexicon) -> None:
        self._page = ref(page)  # which keeps its readings: a cycle would leave the tree to the garbage collector
        self.words = words
        self.head = DocumentHead(page, words)
        self._unanchored = View(page, words)

    @classmethod
    def of(cls, page: Page, words: Lexicon) -> PageReading:
        """The reading of this page, kept with it."""
        known: dict[Lexicon, PageReading] = page.memo.setdefault("readings", {})
        if words not in known:
            known[words] = cls(page, words)
        return known[words]

    @property
    def page(self) -> Page:
        """The page that is read."""
        page = self._page()
        assert page is not None, "the page is gone"
        return page

    @cached_property
    def has_heading(self) -> bool:
        """Whether the page has a heading of the first order."""
        return any("h1" in heading.features for heading in self._shown)

    @cached_property
    def markup(self) -> Markup:
        """Everything that is marked up, and what of it is about the page's product."""
        known = self.page.known_title
        shown = (h.text for h in self._shown if "h1" in h.features) if known is None else [seen_text(known)]
        names = [self.head.title, *shown]
        return subjects(things(self.page), [name for name in names if name])

    @cached_property
    def lone_product(self) -> list[Claim]:
        """What the page's data says of its one product, where no heading names it."""
        return [] if self.has_heading else lone_product_claims(self.page, self.words)

    @cached_property
    def labels(self) -> list[Claim]:
        """What labelled values say of each field."""
        return list(label_claims(self.view))

    def claims(self) -> list[Claim]:
        """What markup and meta elements say of each field."""
        return [*(claim for thing in self.markup.subjects for claim in claims(thing)), *self.head.claims()]

    @cached_property
    def title(self) -> TitleElection:
        """Who is a candidate for the title, and why; a page without heading and markup may hold its product as data."""
        said = [claim for claim in self.claims() if claim.field == "title"]
        if all(claim.source == "meta" for claim in said):
            said += [claim for claim in self.lone_product if claim.field == "title"]
        return TitleElection(self._unanchored, self.head, self._shown, said)

    @cached_property
    def view(self) -> View:
        """The page as seen from its title."""
        known = self.page.known_title
        return self._unanchored.seen_from(self.title.anchor if known is None else known)

    @cached_property
    def _shown(self) -> list[Heading]:
        return shown_headings(self._unanchored, self.head)
