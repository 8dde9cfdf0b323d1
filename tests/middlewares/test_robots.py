"""robots.txt is obeyed by every request, also by those that wait for it together, and as RFC 9309 says."""

from contextlib import ExitStack

from scout.crawl.account import AccountState, state_of_failure
from tests.crawl.fetching import fetch
from tests.crawl.serving import Answer, serving

FORBIDDEN = "User-agent: *\nDisallow: /private/\n"
PAGES = {f"/private/{n}": "secret" for n in range(8)}


def fetch_private(robots: "str | Answer", **settings):
    with serving({"/robots.txt": robots, **PAGES}) as server:
        fetched = fetch([server.url + path[1:] for path in PAGES], named=[server.url], **settings)
    return server, fetched


def test_requests_that_wait_together_for_robots_txt_are_all_stopped():
    server, fetched = fetch_private(Answer(FORBIDDEN, delay=0.5))
    assert server.asked == ["/robots.txt"]
    assert fetched.stats["robotstxt/forbidden"] == 8
    assert fetched.stats["robotstxt/request_count"] == 1


def test_scrapys_own_middleware_still_leaks():
    """Once this fails, Scrapy has mended it and RobotsMiddleware can lose its waiting list."""
    stock = {
        "scout.middlewares.guard.GuardMiddleware": 10,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": 100,
    }
    server, _ = fetch_private(Answer(FORBIDDEN, delay=0.5), DOWNLOADER_MIDDLEWARES=stock)
    assert len(server.asked) > 1


def fetch_by_status(statuses: "list[int]"):
    """One page each of several sites whose robots.txt answers with these statuses."""
    with ExitStack() as stack:
        tables = [{"/robots.txt": Answer("nothing here", status), "/a": "x"} for status in statuses]
        sites = [stack.enter_context(serving(table)) for table in tables]
        fetched = fetch([f"{site.url}a" for site in sites], named=[site.url for site in sites])
    return sites, fetched


def test_a_robots_txt_that_does_not_exist_allows():
    _, fetched = fetch_by_status([401, 403, 404, 410])
    assert list(fetched.outcome.values()) == [200] * 4


def test_a_robots_txt_that_cannot_be_read_forbids():
    sites, fetched = fetch_by_status([429, 500, 503])
    assert list(fetched.outcome.values()) == ["RobotsUnreachable"] * 3
    assert set(map(state_of_failure, fetched.rejected.values())) == {AccountState.FAILED}  # a later start may read them
    assert [site.asked for site in sites] == [["/robots.txt"]] * 3
    assert fetched.stats["scout/robots/unreachable"] == 3


def test_a_robots_txt_that_hangs_forbids():
    server, fetched = fetch_private(Answer(FORBIDDEN, delay=3), DOWNLOAD_TIMEOUT=1)
    assert server.asked == ["/robots.txt"]
    assert set(fetched.outcome.values()) == {"RobotsUnreachable"}


def test_an_endless_robots_txt_is_read_as_far_as_the_rfc_asks_for():
    padding = "# nothing to see here\n" * 1_000_000
    server, fetched = fetch_private(FORBIDDEN + padding)
    assert server.asked == ["/robots.txt"]
    assert fetched.stats["robotstxt/forbidden"] == 8
    assert fetched.stats["downloader/response_bytes"] < len(padding) / 10


def test_rules_are_looked_up_by_scouts_name():
    rules = "User-agent: Scout\nDisallow: /private/\n\nUser-agent: *\nAllow: /\n"
    server, fetched = fetch_private(rules)
    assert fetched.stats["robotstxt/forbidden"] == 8
    assert {agent.partition("/")[0] for agent in server.agents} == {"Scout"}
