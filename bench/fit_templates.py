"""The decision whether the pages of a template are products, fitted to every page of walks through whole shops whose products are known.

Each page is an example of its own: its evidence, and what its template has gathered by the end of the walk (`TemplateGroup.features`).
The walks read the shops with the weights as they are, so a fit that changes much is run again.
"""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import yaml

from bench.fit_decisions import Decision
from bench.fit_model import Example, Option
from bench.labelled_pages import cache_folder
from bench.walked_shops import ShopWalk, WalkedPage, labelled_shop, shop_names

ROOT = Path(__file__).resolve().parents[1]
MAX_PAGES = 200  # of one shop: more say little that these do not
PROCESSES = 2
TEMPLATE = Decision(
    "template",
    twins=(),
    hold=2.0,
    bounds={
        "own": (0.5, None),
        "recorded": (0.0, None),
        "behind": (None, -1.0),
        "unpriced": (None, -6.0),
        "elsewhere": (None, 0.0),
    },
)


def template_examples(data: Path) -> list[Example]:
    """The pages of all shops, weighed so that every shop counts the same."""
    folder = cache_folder() / f"templates-{_walk_digest(data)}"
    folder.mkdir(exist_ok=True)
    with get_context("fork").Pool(PROCESSES, maxtasksperchild=1) as pool:
        shops = pool.starmap(_kept_examples, [(name, data, folder) for name in shop_names(data)], chunksize=1)
    judged = [shop for shop in shops if shop]
    usual = sum(map(len, judged)) / max(1, len(judged))
    return [replace(example, weight=usual / len(shop)) for shop in judged for example in shop]


def _kept_examples(name: str, data: Path, folder: Path) -> list[Example]:
    """The pages of a shop, walked once for each state of the code."""
    file = folder / f"{name}.pickle"
    if not file.exists():
        file.write_bytes(pickle.dumps(_shop_examples(name, data)))
    examples: list[Example] = pickle.loads(file.read_bytes())
    return examples


def _walk_digest(data: Path) -> str:
    """A hash of the code and words that walk a shop, of the weights beside those of templates, and of what shops there are."""
    total = hashlib.sha256(repr(shop_names(data)).encode() + Path(__file__).read_bytes())
    folders = [ROOT / "scout" / name for name in ("extraction", "values", "walking", "data")]
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.suffix in (".py", ".yaml")]
    for file in [*files, ROOT / "bench" / "walked_shops.py"]:
        if file.name != "weights.yaml":
            total.update(file.read_bytes())
    weights = yaml.safe_load((ROOT / "scout" / "data" / "weights.yaml").read_text(encoding="utf-8"))["decisions"]
    total.update(repr({name: section for name, section in weights.items() if name != "template"}).encode())
    return total.hexdigest()[:16]


def _shop_examples(name: str, data: Path) -> list[Example]:
    walked = ShopWalk(labelled_shop(name, data)).run(MAX_PAGES)
    return [_example(walked, page) for page in walked.pages if page.verdict.template is not None]


def _example(walked: ShopWalk, page: WalkedPage) -> Example:
    assert page.verdict.template is not None
    features = {"own": page.verdict.score, **page.verdict.template.features(walked.walk.templates.best())}
    is_product = walked.is_of_product(page)
    option = Option("product", is_product, [("page", {name: value for name, value in features.items() if value})])
    return Example(walked.shop.name, f"{page.url} as served", [option], is_product)
