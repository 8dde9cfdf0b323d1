"""Every command that the documentation shows is one, and does what it is shown to do, on a shop of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.utils.project import get_project_settings

from scout.command_line import SUMMARIES
from tests.crawl.commands import FAST, environment
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.documentation.commands import ShownCommand, shown_commands
from tests.processes import run

SHOWN = list(shown_commands())
SHOPS = ("myshop", "chairs", "lamps", "stools")
NOT_RUN = {
    "postgresql://": "needs a server; tests/store has one",
    "--spark": "needs Java; tests/archive runs it",
    "scout mcp": "serves until its client leaves; tests/agents talks to it",
    "scout studio": "serves until it is stopped; tests/studio uses it",
    "--keep-running": "does not end",
    "scout crawl forms": "needs a shop behind a form; tests/forms has them",
    "scout summarize": "needs a form's database; tests/forms has one",
    "crawl outlet": "a spider that the reader writes; tests/spiders runs it",
    "their.warc.gz": "another crawler's archive; tests/archive has one",
    "fernhill": "the output of make demo, which tests/demo runs",
    "127.0.0.1": "the name of the shop is that of its host",
}


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
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder in which everything is prepared that the pages begin with, and the address of a shop."""
    folder = tmp_path_factory.mktemp("desk")
    settings = "from scout.settings import *\n" + "\n".join(f"{name} = {value!r}" for name, value in FAST.items())
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = quick_settings\n")
    (folder / "quick_settings.py").write_text(settings)
    with serving(tiny_shop()) as shop:
        rows = [
            f"{shop.url}product/{n},{title},{price},TS-{n:04d}" for n, (title, price, _) in PRODUCTS.items() if n > 2
        ]
        for name in ("offers.csv", "known.csv"):
            (folder / name).write_text("url,title,price,sku\n" + "\n".join(rows))
        (folder / "mapping.yaml").write_text("title: title\n")
        (folder / "names.txt").write_text("brand = Brand; Marke\n")
        (folder / "shops.csv").write_text(f"name,url,interval\nlamps,{shop.url},7d\n")
        for name in SHOPS:
            for words in (
                ("shops", "add", name, shop.url),
                ("learn", name, "--offers", "offers.csv"),
                ("learn", name, "--offers", "offers.csv"),
                ("crawl", "shop", "-a", f"shop={name}"),
                ("catalogue", "import", name, "offers.csv"),
                ("report", name),
                ("pages", name, "--to", "pages.parquet"),
            ):
                done = run("scrapy", *words, cwd=folder, env=environment(), timeout=300)
                assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        yield folder, shop.url


def runnable() -> list[ShownCommand]:
    """All but those that cannot run here; what removes a shop comes last."""
    found = [shown for shown in SHOWN if not any(mark in shown.line for mark in NOT_RUN)]
    return sorted(found, key=lambda shown: "remove" in shown.words)


@pytest.mark.long
@pytest.mark.parametrize("shown", runnable(), ids=lambda shown: f"{shown.page}: {shown.line[:60]}")
def test_a_shown_command_does_its_work(shown: ShownCommand, desk: tuple[Path, str]) -> None:
    folder, url = desk
    (folder / "changes.rss").unlink(missing_ok=True)
    row = f"{url}product/8,TS-0008,same"  # the report of this shop leaves nothing undecided
    (folder / "reports" / "myshop" / "undecided.csv").write_text(f"url,catalogue,decision\n{row}\n")
    done = run("scrapy", *(on_shop(word, url) for word in shown.words), cwd=folder, env=environment(), timeout=300)
    missed = "--min-coverage" in shown.line  # the catalogue lacks two of ten
    assert done.returncode == (3 if missed else 0), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def on_shop(word: str, url: str) -> str:
    """The word with the example's addresses and placeholders replaced by those of the shop."""
    word = word.replace("https://shop.example/p/", f"{url}product/").replace(
        "https://shop.example/product/", f"{url}product/"
    )
    word = {"SHOP": "myshop", "URL": f"{url}product/1", "K-4711": "TS-0003"}.get(word, word)
    return word.replace("https://shop.example/", url).replace("https://shop.example", url)
