"""The house keeps its order: rooms have names of their own, and class names are unique."""

import importlib
import pkgutil
from pathlib import Path

import scout

PACKAGE = Path(scout.__file__).parent


def test_no_room_shares_its_name_with_a_public_function():
    rooms = {module.name for module in pkgutil.iter_modules(scout.__path__)}
    assert rooms.isdisjoint(scout.__all__)


def test_every_room_can_be_imported_by_its_dotted_name():
    for module in pkgutil.iter_modules(scout.__path__):
        room = importlib.import_module(f"scout.{module.name}")
        assert getattr(scout, module.name) is room
