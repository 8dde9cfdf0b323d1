"""The house keeps its order: rooms have names of their own, and class names are unique."""

import ast
import importlib
import pkgutil
import re
from collections import Counter, defaultdict
from pathlib import Path

import scout
from scout.values.tables import table

PACKAGE = Path(scout.__file__).parent


def test_no_room_shares_its_name_with_a_public_function():
    rooms = {module.name for module in pkgutil.iter_modules(scout.__path__)}
    assert rooms.isdisjoint(scout.__all__)


def test_every_room_can_be_imported_by_its_dotted_name():
    for module in pkgutil.iter_modules(scout.__path__):
        room = importlib.import_module(f"scout.{module.name}")
        assert getattr(scout, module.name) is room


def test_class_names_are_unique_but_for_the_name_that_scrapy_gives_to_every_command():
    places = defaultdict(set)
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(file.relative_to(PACKAGE).as_posix())
    assert [name for name, files in places.items() if len(files) > 1] == ["Command"]


def test_rooms_keep_the_names_of_what_happens_in_them():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert rooms >= {"extraction", "walking", "learning", "matching", "reporting", "rendering", "archive"}
    assert rooms.isdisjoint({"induce", "learn", "match", "report", "render", "facts", "archives", "bulk", "keeping"})


def test_the_data_tables_are_read_in_one_place():
    reading = re.compile(r"""\bfiles\("scout"\)[^\n]*data|joinpath\(f?"data/""")
    readers = [
        file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py") if reading.search(file.read_text())
    ]
    assert readers == ["values/tables.py"]


def test_each_word_for_buying_stands_in_one_list():
    lists = [table("buying")[name] for name in ("cart_phrases", "cart_labels", "other_product_buttons")]
    assert max(Counter(word for words in lists for word in words).values()) == 1
