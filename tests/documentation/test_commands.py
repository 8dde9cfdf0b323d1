"""Every command that the documentation shows is one, and does what it is shown to do, on a shop of this machine."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep

import pytest
import sqlalchemy
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.utils.project import get_project_settings

from scout.command_line import SUMMARIES
from scout.sample_shop import known_offers, sample_server
from scout.urls import shop_name
from tests.crawl.commands import FAST, environment
from tests.documentation.commands import ShownCommand, shown_commands
from tests.processes import ForkedProcess, run
from tests.shops.cityworld import cityworld
from tests.store.conftest import postgres  # noqa: F401  (a fixture)

SHOWN = list(shown_commands())
SHOPS = ("myshop", "chairs", "lamps", "stools")
NOT_RUN = {
    "--spark": "needs Java; tests/archive runs it",
    "crawl outlet": "a spider that the reader writes; tests/spiders runs it",
}
SERVES = {  # what does not end by itself -> what it says as soon as it works
    "scout sample-shop": "Ctrl-C stops it",
    "scout studio": "http://127.0.0.1",
    "--keep-running": "late: done",
}


@dataclass
class Desk:
    """A folder in which everything is prepared that the pages begin with, the address of a shop, and that of a form."""

    folder: Path
    shop: str
    form: str
    database: str = ""  # in PostgreSQL, where a command names one

    def word(self, word: str) -> str:
        """The word with the example's addresses and placeholders replaced by what is on this machine."""
        shown = {
            "shop.example": shop_name(self.form),
            "https://shop.example/search": f"{self.form}/none",
            "sqlite:///shop.db": f"sqlite:///{self.folder}/cityworld.db",
            "shop.DBContent": "CityWorld.DBContent",
            "SHOP": "myshop",
            "URL": f"{self.shop}product/1",
            "K-4711": "TS-0003",
            "SCOUT_DATABASE=postgresql://scout@db.example/scout": f"SCOUT_DATABASE={self.database}",
            "postgresql://reader@db.example/prices": self.database,
        }
        word = shown.get(word, word).replace("=https://shop.example/search", f"={self.form}/none")
        word = word.replace("https://shop.example/p/", f"{self.shop}product/")
        return word.replace("https://shop.example/", self.shop).replace("https://shop.example", self.shop)

    def words(self, shown: ShownCommand) -> list[str]:
        """What the program is given in its place."""
        more = {"sample-shop": ["--port", "0"], "studio": ["--no-browser", "--port", "0"]}
        return [*(self.word(word) for word in shown.words), *more.get(shown.words[0], [])]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: f"{shown.page}: {shown.line[:60]}")
def test_a_shown_command_exists_with_its_options(shown: ShownCommand) -> None:
    name, *words = shown.words
    assert name in SUMMARIES
    command = import_module(f"scout.commands.{name.replace('-', '_')}").Command()
    command.settings = get_project_settings()
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    _, rest = parser.parse_known_args(words)
    assert [word for word in rest if word.startswith("-")] == []


def test_the_documentation_shows_most_commands() -> None:
    assert len(SUMMARIES) * 2 / 3 < len({shown.words[0] for shown in SHOWN})


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    settings = "from scout.settings import *\n" + "\n".join(f"{name} = {value!r}" for name, value in FAST.items())
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = quick_settings\n")
    (folder / "quick_settings.py").write_text(settings)
    with sample_server(0) as shop, cityworld(folder) as form:
        threading.Thread(target=shop.serve_forever, args=(0.05,), daemon=True).start()
        found = Desk(folder, f"http://127.0.0.1:{shop.server_address[1]}/", form)
        prepare(found)
        yield found
        shop.shutdown()


def prepare(desk: Desk) -> None:
    """What the pages take for granted: files of the reader's, and shops that were crawled before."""
    for name in ("offers.csv", "known.csv"):
        (desk.folder / name).write_text(known_offers(desk.shop))
    (desk.folder / "mapping.yaml").write_text("title: title\n")
    (desk.folder / "names.txt").write_text("brand = Brand; Marke\n")
    (desk.folder / "shops.csv").write_text(f"name,url,interval\nlamps,{desk.shop},7d\n")
    for name in SHOPS:
        for words in (
            ("shops", "add", name, desk.shop),
            ("learn", name, "--offers", "offers.csv"),
            ("learn", name, "--offers", "offers.csv"),  # so that there is a version before
            ("crawl", "shop", "-a", f"shop={name}"),
            ("catalogue", "import", name, "offers.csv"),
            ("report", name),
            ("pages", name, "--to", "pages.parquet"),
            ("pages", name, "--to", "their.warc.gz"),
        ):
            done = run("scrapy", *words, cwd=desk.folder, env=environment(), timeout=300)
            assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


def runnable() -> list[ShownCommand]:
    """All but those that cannot run here; what removes a shop or replaces its catalogue comes last."""
    found = [shown for shown in SHOWN if not any(mark in shown.line for mark in NOT_RUN)]
    return sorted(found, key=lambda shown: ("--query" in shown.line) + 2 * ("remove" in shown.words))


@pytest.mark.long
@pytest.mark.parametrize("shown", runnable(), ids=lambda shown: f"{shown.page}: {shown.line[:60]}")
def test_a_shown_command_does_its_work(shown: ShownCommand, desk: Desk, request: pytest.FixtureRequest) -> None:
    (desk.folder / "changes.rss").unlink(missing_ok=True)
    row = f"{desk.shop}product/9,TS-0009,same"  # the report of this shop leaves nothing undecided
    (desk.folder / "reports" / "myshop" / "undecided.csv").write_text(f"url,catalogue,decision\n{row}\n")
    if "postgresql://" in shown.line:
        desk.database = request.getfixturevalue("postgres").empty_database()
    if "--query" in shown.line:  # prices of the reader's own
        with sqlalchemy.create_engine(desk.database).begin() as connection:
            table = "select 'Oak Chair' as name, '4006381333931' as ean, 120.5 as price, 7 as shop"
            connection.execute(sqlalchemy.text(f"create table offers as {table}"))
    for mark, sign in SERVES.items():
        if mark in shown.line:
            serve_and_stop(desk, shown, sign)
            return
    done = run("scrapy", *desk.words(shown), cwd=desk.folder, env=environment(), timeout=300)
    allowed = {3} if "--min-coverage" in shown.line else {0, 3} if "crawl forms" in shown.line else {0}
    assert done.returncode in allowed, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def serve_and_stop(desk: Desk, shown: ShownCommand, sign: str) -> None:
    """Start what does not end by itself, wait until it works, and stop it as Ctrl-C does."""
    if "--keep-running" in shown.line:  # a shop that no fleet has crawled yet
        database = ("-s", f"SCOUT_DATABASE={desk.database}") if "postgresql://" in shown.line else ()
        run("scrapy", "shops", "add", "late", desk.shop, "--interval", "1d", *database, cwd=desk.folder, timeout=60)
    file = desk.folder / "said.txt"
    with file.open("w") as said:
        process = ForkedProcess(
            "scrapy", *desk.words(shown), cwd=desk.folder, env=environment(), stdout=said, stderr=said
        )
        try:
            deadline = monotonic() + 240
            while sign not in file.read_text():
                assert process.poll() is None and monotonic() < deadline, file.read_text()
                sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) in (0, 3), file.read_text()
        finally:
            process.kill()
    assert "Traceback" not in file.read_text()
