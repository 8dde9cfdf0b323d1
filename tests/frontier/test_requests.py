"""A request is kept as data: what a spider asked for comes back the same, and what is no data is refused."""

import json

import pytest
from scrapy import FormRequest, Request, Spider

from scout.frontier.requests import NotData, request_data, request_from
from scout.walking.steps import Step


class Part:
    def parse_part(self, response): ...


class ShopLike(Spider):
    name = "shop-like"

    def __init__(self):
        super().__init__()
        self.part = Part()

    def parse_page(self, response, came): ...

    def page_failed(self, failure): ...


@pytest.fixture
def spider():
    return ShopLike()


def there_and_back(request: Request, spider: Spider) -> Request:
    return request_from(request.url, request.priority, request_data(request, spider), spider)


def test_a_step_of_the_walk_comes_back_as_it_was(spider):
    step = Step("http://s.example/p/1", "record", ("Lamps", "Desk \x00\ud800 lamps"), 1.0)
    request = Request(
        step.url,
        spider.parse_page,
        errback=spider.page_failed,
        meta={"level": "detail", "depth": 3, "tried": [1.5, None, True]},
        cb_kwargs={"came": step},
        priority=30,
    )
    again = there_and_back(request, spider)
    assert again.to_dict(spider=spider) == request.to_dict(spider=spider)
    assert again.cb_kwargs["came"] == step


def test_a_callback_may_be_a_method_of_an_object_that_the_spider_has(spider):
    request = Request("http://s.example/", spider.part.parse_part)
    assert there_and_back(request, spider).callback == spider.part.parse_part
    with pytest.raises(NotData):  # of another object: nobody could find it again
        request_data(Request("http://s.example/", Part().parse_part), spider)


def test_headers_body_method_and_cookies_come_back(spider):
    request = Request(
        "http://s.example/search",
        method="POST",
        body=b"\x00\xffq=1",
        headers={"Referer": "http://s.example/", "X": ["a", "b"]},
        cookies={"currency": "EUR"},
        dont_filter=True,
    )
    assert there_and_back(request, spider).to_dict() == request.to_dict()


def test_what_is_written_is_plain_json_without_defaults(spider):
    assert json.loads(request_data(Request("http://s.example/", meta={"level": "list"}), spider)) == {
        "meta": {"level": "list"}
    }


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://s.example/", callback=lambda response: None),
        Request("http://s.example/", meta={"page": object()}),
        Request("http://s.example/", meta={"f": print}),
        Request("http://s.example/", meta={1: "a number as a name"}),
        FormRequest("http://s.example/", formdata={"q": "1"}),
    ],
)
def test_what_cannot_be_written_as_data_is_refused(request_, spider):
    with pytest.raises(NotData):
        request_data(request_, spider)


def test_a_callback_that_is_gone_is_refused_with_its_name(spider):
    with pytest.raises(NotData, match="callback"):
        request_from("http://s.example/", 0, '{"callback": "parse_of_an_older_version"}', spider)


def test_an_object_that_nobody_declared_is_never_made(spider):
    with pytest.raises(KeyError):
        request_from("http://s.example/", 0, '{"meta": {"a": {"$": "Popen", "of": {"args": "true"}}}}', spider)
