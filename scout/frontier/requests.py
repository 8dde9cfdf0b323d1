"""A request as data: JSON that a person can read and any worker can make a request of. Nothing is ever pickled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Headers

from scout.fetch import meta_to_keep
from scout.walking.steps import Step

KNOWN: Mapping[str, type] = {cls.__name__: cls for cls in (Step,)}  # what may stand in a request besides plain data
OWN_COLUMNS = ("url", "priority")
PLAIN = {name: getattr(Request("http://plain.example"), name) for name in Request.attributes if name not in OWN_COLUMNS}
_TAG = "$"  # marks an object that JSON has no kind for


class NotData(ValueError):
    """The request holds something that cannot be written as data: a function, a connection, an object nobody declared."""


def request_data(request: Request, spider: Spider) -> str:
    """The request but for address and priority, or NotData."""
    if type(request) is not Request:
        raise NotData(f"a {type(request).__name__} is more than a Request")
    found = {name: getattr(request, name) for name in PLAIN} | {"meta": meta_to_keep(request)}
    found |= {name: _method(spider, found[name]) for name in ("callback", "errback")}
    found["headers"] = {_text(name): [_text(v) for v in values] for name, values in request.headers.items()}
    kept = {name: value for name, value in found.items() if value and value != PLAIN[name]}
    try:
        return json.dumps(_written(kept), separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise NotData(str(error)) from error


def request_from(url: str, priority: int, data: str, spider: Spider) -> Request:
    """The request that was written; a callback that the spider no longer has is a NotData."""
    found = json.loads(data, object_hook=_read)
    for name in ("callback", "errback"):
        if name in found:
            try:
                found[name] = attrgetter(found[name])(spider)
            except AttributeError:
                raise NotData(f"{spider.name} has no such {name} any more") from None
    headers = {name: [v.encode("latin-1") for v in values] for name, values in found.pop("headers", {}).items()}
    return Request(url, priority=priority, headers=Headers(headers), **found)


def shown_step(data: str) -> Step | None:
    """The step of the walk that a written request takes; None for one that no walk made."""
    step = json.loads(data, object_hook=_read).get("cb_kwargs", {}).get("came")
    return step if isinstance(step, Step) else None


def _method(spider: Spider, call: Callable[..., Any] | None) -> str | None:
    """The name of a method of the spider, or of an object that the spider has: "parse", "database.parse_result".

    Scrapy's own way looks at every member of the spider for each request, and knows no methods of other objects.
    """
    if call is None:
        return None
    owner, name = getattr(call, "__self__", None), getattr(call, "__name__", "")
    owners = ("",) if owner is spider else [f"{part}." for part, held in vars(spider).items() if held is owner]
    if owner is None or not owners or not hasattr(getattr(owner, name, None), "__func__"):
        raise NotData(f"{call!r} is no method of the spider or of what it has")
    return f"{owners[0]}{name}"


def _text(value: bytes) -> str:
    return value.decode("latin-1")


def _written(value: Any) -> Any:
    """The value as JSON can hold it; what is no plain data carries its kind."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) and key != _TAG for key in value):
        return {key: _written(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return {_TAG: "tuple", "of": [_written(item) for item in value]}
    if isinstance(value, bytes):
        return {_TAG: "bytes", "of": _text(value)}
    if is_dataclass(value) and KNOWN.get(type(value).__name__) is type(value):
        return {_TAG: type(value).__name__, "of": {f.name: _written(getattr(value, f.name)) for f in fields(value)}}
    raise TypeError(f"a {type(value).__name__} cannot be written as data")


def _read(found: dict[str, Any]) -> Any:
    """What an object of the JSON stands for; those inside it are read already."""
    if _TAG not in found:
        return found
    kind, content = found[_TAG], found["of"]
    if kind == "tuple":
        return tuple(content)
    return content.encode("latin-1") if kind == "bytes" else KNOWN[kind](**content)
