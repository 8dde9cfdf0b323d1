"""Labels that only the eye can assign: which text stands beside which element when a browser lays the form out (Weber, 2001, section 3.1).

The browser runs SCRIPT, which numbers the controls of the page and writes their boxes and those of the texts into it. Elements of one
kind have their texts on one side: the side on which most of them have one wins, and of two such sides the one whose texts are nearer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from lxml.html import HtmlElement

from scout.page import Page
from scout.values.text import single_spaced

CONTROL, LAYOUT = "data-scout-control", "scout-form-layout"  # attribute of a control, id of the element with the boxes
MAX_SIZE = 2_000_000  # characters of the boxes; a form is smaller
MAX_LABEL = 200  # characters; longer texts are not labels
MAX_LINES = 10  # between a control and its text, in heights of the text
BUTTONS_FIRST, FIELDS_FIRST = ("right", "left", "below", "above"), ("left", "above", "right", "below")

SCRIPT = """() => {
  const controls = [], texts = [], range = document.createRange();
  const place = r => [r.left + scrollX, r.top + scrollY, r.right + scrollX, r.bottom + scrollY];
  const isShown = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const blockOf = e => {
    while (e.parentElement && ['inline', 'contents'].includes(getComputedStyle(e).display)) e = e.parentElement;
    return e;
  };
  let run = null;
  const end = () => { if (run) texts.push([run.text, run.place]); run = null; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType == Node.ELEMENT_NODE) {
      if (node.matches('input, select, textarea, button')) {
        end();
        node.setAttribute('data-scout-control', controls.length);
        const r = node.getBoundingClientRect();
        controls.push(r.width && r.height && isShown(node) ? place(r) : null);
      } else if (node.matches('br, hr, img')) end();
      continue;
    }
    const around = node.parentElement;
    if (!node.data.trim() || around.closest('script, style, noscript, template, select, button, textarea')) continue;
    const label = around.closest('label');
    range.selectNodeContents(node);
    const r = range.getBoundingClientRect();
    if (!isShown(around) || !r.width || !r.height || (label && label.control)) { end(); continue; }
    const block = blockOf(around), here = place(r);
    if (run && run.block != block) end();
    if (run) {
      run.text += node.data;
      run.place = [...[0, 1].map(i => Math.min(run.place[i], here[i])), ...[2, 3].map(i => Math.max(run.place[i], here[i]))];
    } else run = {text: node.data, place: here, block};
  }
  end();
  const found = document.createElement('script');
  found.type = 'application/json';
  found.id = 'scout-form-layout';
  found.textContent = JSON.stringify({controls, texts}).replaceAll('<', '\\\\u003c');
  document.body.append(found);
}"""


@dataclass(frozen=True)
class Box:
    """Where something stands on the page, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def around(self, other: Box) -> Box:
        """The box of both."""
        left, top = min(self.left, other.left), min(self.top, other.top)
        return Box(left, top, max(self.right, other.right), max(self.bottom, other.bottom))

    def gap_to(self, other: Box, side: str) -> float | None:
        """How far `other` is on this side; None if it is not beside it there."""
        if side in ("left", "right"):
            is_beside = min(self.bottom, other.bottom) - max(self.top, other.top) > min(self.height, other.height) / 2
            gap = self.left - other.right if side == "left" else other.left - self.right
        else:
            is_beside = min(self.right, other.right) > max(self.left, other.left)
            gap = self.top - other.bottom if side == "above" else other.top - self.bottom
        return gap if is_beside and gap >= -1 else None  # rounding may let them touch


@dataclass(frozen=True)
class PlacedText:
    """A text and where it stands."""

    text: str
    box: Box


class FormLayout:
    """The labels of one laid out page, by control. `group_labels` are those of several buttons together."""

    def __init__(self, controls: Mapping[HtmlElement, Box], texts: Sequence[PlacedText]) -> None:
        self._controls, self._texts = controls, list(texts)
        self.labels: dict[HtmlElement, str] = {}
        self.forms: set[HtmlElement] = set()  # whose elements have their labels

    def has(self, control: HtmlElement) -> bool:
        """Whether the control is shown."""
        return control in self._controls

    def assign(self, controls: Iterable[HtmlElement], sides: Sequence[str]) -> None:
        """Give each of these controls, which are of one kind, the text beside it."""
        left = [control for control in controls if control in self._controls]
        while left:
            best = max((self._on_side(left, side) for side in sides), key=lambda found: found.worth)
            if not best.texts:
                return
            for control, text in best.texts.items():
                self.labels[control] = text.text
                self._texts.remove(text)
            left = [control for control in left if control not in best.texts]

    def group_label(self, controls: Iterable[HtmlElement]) -> str:
        """The text above or to the left of several buttons, if no single one has it."""
        boxes = [self._controls[control] for control in controls if control in self._controls]
        if not boxes:
            return ""
        box = boxes[0]
        for other in boxes[1:]:
            box = box.around(other)
        near = [found for side in ("left", "above") for found in self._beside(box, side)]
        return min(near, key=lambda found: found[0])[1].text if near else ""

    def _on_side(self, controls: Sequence[HtmlElement], side: str) -> _SideTexts:
        """For each control the nearest text on this side, if nothing else stands between; each text once."""
        pairs = [(gap, at, text) for at, control in enumerate(controls) for gap, text in self._nearest(control, side)]
        found = _SideTexts({}, [])
        for gap, at, text in sorted(pairs, key=lambda pair: pair[:2]):
            if text not in found.texts.values():
                found.texts[controls[at]] = text
                found.gaps.append(gap)
        return found

    def _nearest(self, control: HtmlElement, side: str) -> Iterator[tuple[float, PlacedText]]:
        box = self._controls[control]
        others = (box.gap_to(other, side) for one, other in self._controls.items() if one is not control)
        wall = min((gap for gap in others if gap is not None), default=math.inf)
        nearest = min(self._beside(box, side), key=lambda found: found[0], default=None)
        if nearest is not None and nearest[0] <= wall:
            yield nearest

    def _beside(self, box: Box, side: str) -> Iterator[tuple[float, PlacedText]]:
        for text in self._texts:
            gap = box.gap_to(text.box, side)
            if gap is not None and gap <= MAX_LINES * text.box.height:
                yield gap, text


@dataclass(frozen=True)
class _SideTexts:
    """The texts that controls have on one side, with their distances."""

    texts: dict[HtmlElement, PlacedText]
    gaps: list[float]

    @property
    def worth(self) -> tuple[int, float]:
        return len(self.texts), -fmean(self.gaps or [0.0])


def form_layout(page: Page) -> FormLayout | None:
    """How the browser has laid the page out; None where none has, or where what it wrote cannot be read."""
    memo: dict[str, FormLayout | None] = page.memo.setdefault("form_layout", {})
    if "layout" not in memo:
        memo["layout"] = _read_layout(page) if LAYOUT in page.html else None
    return memo["layout"]


def _read_layout(page: Page) -> FormLayout | None:
    holder = page.element_by_id(LAYOUT)
    text = "" if holder is None else str(holder.text_content())
    try:
        data = json.loads(text) if len(text) <= MAX_SIZE else {}
        texts = [PlacedText(single_spaced(str(words)), Box(*map(float, place))) for words, place in data["texts"]]
        boxes: list[Any] = [None if place is None else Box(*map(float, place)) for place in data["controls"]]
    except (ValueError, TypeError, KeyError):  # a page may write what it likes
        return None
    numbered = (
        (control, control.get(CONTROL) or "") for control in page.root.iter("input", "select", "textarea", "button")
    )
    found = {one: boxes[int(number)] for one, number in numbered if number.isdecimal() and int(number) < len(boxes)}
    shown = {control: box for control, box in found.items() if box is not None}
    return FormLayout(shown, [text for text in texts if 0 < len(text.text) <= MAX_LABEL])
