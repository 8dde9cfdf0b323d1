"""Agents ask by the protocol's own client, mostly of a server in a process of its own; they can change nothing."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from sqlalchemy import text

from scout.agents.answers import Answers
from scout.agents.server import agent_server
from scout.errors import StoreError
from scout.exchange.schemas import COVERAGE, EVIDENCE, load_schema
from scout.store import Store
from tests.crawl.commands import HASTY, environment, scrapy
from tests.crawl.serving import Server, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import ROOT

START = "from scout.command_line.main import main; main()"
QUESTIONS = {"shops", "offers", "missing", "coverage", "explain", "history", "changes"}
Ask = Callable[[Client], Awaitable[Any]]


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    with serving(tiny_shop()) as running:
        yield running


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, shop: Server) -> str:
    """The tiny shop, crawled and compared with a catalogue that lacks two of its offers."""
    folder = tmp_path_factory.mktemp("agents")
    own = ("-s", f"SCOUT_DATABASE=sqlite:///{folder}/scout.db", "-s", f"SCOUT_RULES_DIR={folder}/rules")
    crawled = scrapy("crawl", "shop", "-a", f"url={shop.url}", "-a", "shop=tiny", *own, *HASTY)
    assert crawled.returncode == 0, crawled.stderr
    rows = [f"TS-{number:04d},{title},{price}" for number, (title, price, _) in PRODUCTS.items() if number > 2]
    (folder / "catalogue.csv").write_text("sku,title,price\n" + "\n".join(rows))
    assert scrapy("catalogue", "import", "tiny", str(folder / "catalogue.csv"), *own).returncode == 0
    return f"sqlite:///{folder}/scout.db"


def talk(database: str, ask: Ask, *options: str) -> Any:
    """Whatever `ask` returns, of a server that is started for it and ended after it."""

    async def talking() -> Any:
        command = ["-c", START, "mcp", "-s", f"SCOUT_DATABASE={database}", *options]
        parameters = StdioServerParameters(
            command=sys.executable, args=command, env=environment(PYTHONPATH=str(ROOT)), cwd=Path(database[10:]).parent
        )
        async with Client(parameters) as client:
            return await ask(client)

    return asyncio.run(talking())


def talk_here(database: str, ask: Ask) -> Any:
    """Whatever `ask` returns, of a server in this process."""

    async def talking() -> Any:
        with Store.open_protected(database) as store:
            async with Client(agent_server(Answers(store))) as client:
                return await ask(client)

    return asyncio.run(talking())


async def answer(client: Client, tool: str, **asked: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, asked)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def test_every_answer_has_its_evidence_and_its_age(database: str, shop: Server) -> None:
    async def ask(client: Client) -> None:
        (status,) = (await answer(client, "shops"))["shops"]
        assert (status["shop"], status["offers"]) == ("tiny", len(PRODUCTS))
        assert (status["rests_on"]["state"], status["rests_on"]["age_days"]) == ("complete", 0)

        found = await answer(client, "offers", shop="tiny", text="oak chair")
        (chair,) = found["offers"]
        assert (chair["price"], chair["state"], chair["age_days"]) == ("120.50", "current", 0)
        assert chair["evidence"]["price"]["raw"] == "€120.50" and chair["evidence"]["price"]["selector"]
        assert found["rests_on"]["crawl"] == status["rests_on"]["crawl"]

        missing = await answer(client, "missing", shop="tiny")
        assert {row["title"] for row in missing["missing"]} == {PRODUCTS[1][0], PRODUCTS[2][0]}
        assert (missing["coverage"], missing["total"], missing["rests_on"]["state"]) == (0.8, 2, "complete")

        coverage = await answer(client, "coverage", shop="tiny")
        Draft202012Validator(load_schema(COVERAGE)).validate(coverage["coverage"])

        explained = await answer(client, "explain", shop="tiny", url=chair["url"])
        Draft202012Validator(load_schema(EVIDENCE)).validate(explained["evidence"])
        assert explained["offer"]["title"] == "Oak Chair No. 1" and explained["age_days"] == 0

        history = await answer(client, "history", shop="tiny", url=chair["url"])
        assert [point["price"] for point in history["history"]] == ["120.50"]
        assert (await answer(client, "changes", shop="tiny"))["changes"] == [], "one crawl has nothing to compare with"

    talk(database, ask)


def test_an_agent_sees_only_tools_that_read_and_is_told_how_to_read_answers(database: str) -> None:
    async def ask(client: Client) -> tuple[set[str], str | None]:
        tools = (await client.list_tools()).tools
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        return {tool.name for tool in tools}, client.instructions

    names, instructions = talk_here(database, ask)
    assert names == QUESTIONS
    assert instructions is not None and "never follow" in " ".join(instructions.split())


def test_what_cannot_be_answered_is_said_in_scouts_words(database: str) -> None:
    async def ask(client: Client) -> list[str]:
        asked = [
            ("coverage", {"shop": "nowhere"}),
            ("offers", {"shop": "tiny", "limit": 0}),
            ("crawl", {"shop": "tiny"}),
        ]
        results = [await client.call_tool(tool, given) for tool, given in asked]
        assert all(result.is_error for result in results)
        return [result.content[0].text for result in results]  # type: ignore[union-attr]

    unknown, limit, crawl = talk_here(database, ask)
    assert "nowhere" in unknown and "1 to 100" in limit and "crawl" in crawl


def test_an_agent_that_may_crawl_starts_one_and_sees_it_end(database: str, shop: Server) -> None:
    before = len(shop.asked)

    async def ask(client: Client) -> dict[str, Any]:
        assert (await answer(client, "crawl", shop="tiny"))["started"]
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            said = await answer(client, "crawl", shop="tiny")
            if "ended" in said:
                return said
            await asyncio.sleep(0.2)
        raise AssertionError("the crawl did not end")

    ended = talk(database, ask, "--allow-crawl", *HASTY)["ended"]
    assert ended["exit_code"] == 0 and "complete" in ended["said"]
    assert len(shop.asked) > before


def test_nothing_can_be_changed_through_a_protected_store(database: str) -> None:
    with Store.open_protected(database) as store:
        assert [status.name for status in store.shops()] == ["tiny"]
        with pytest.raises(StoreError, match="readonly"):
            store.add_shop("other", "https://other.example")
        with pytest.raises(StoreError, match="readonly"), store.reading() as connection:
            connection.execute(text("DELETE FROM offers"))


def test_a_protected_store_makes_and_migrates_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/scout.db"
    with pytest.raises(StoreError, match="no database"):
        Store.open_protected(url)
    assert list(tmp_path.iterdir()) == []
    with Store.open(url) as store, store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    with pytest.raises(StoreError, match="schema 0001"):
        Store.open_protected(url)
