"""Spider arguments, typed and checked: a misspelt one is an error that names those there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from scout.errors import UsageError

Discovery = Literal["walk", "catalogue", "sitemap", "feed", "known"]
_Arguments = TypeVar("_Arguments", bound="SpiderArguments")


class SpiderArguments(BaseModel):
    """What `scrapy crawl SPIDER -a NAME=VALUE` accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ShopArguments(SpiderArguments):
    """What `scrapy crawl shop -a NAME=VALUE` accepts."""

    url: str | None = Field(None, description="the address of the shop, best its front page")
    shop: str | None = Field(None, description="the name under which the shop is known; with url, the name to give it")
    part: bool = Field(False, description="1: url is a category, and only that is crawled")
    discover: tuple[Discovery, ...] = Field(
        ("walk", "catalogue"),
        description="ways to find products: walk, catalogue, sitemap, feed, known (known addresses again), separated by commas",
    )
    refresh: Literal["prices"] | None = Field(
        None, description="prices: read lists, and only the product pages whose list entry changed or that are due"
    )
    crawl: int | None = Field(None, description="the id of a running crawl to join")
    max_pages: int | None = Field(None, gt=0, description="stop after so many pages")
    reviews: bool = Field(False, description="1: also fetch the pages on which a product's reviews are shown")

    @field_validator("discover", mode="before")
    @classmethod
    def _separated(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str | None) -> str | None:
        return None if value is None else web_address(value)

    @property
    def scope(self) -> str:
        """What the crawl promises to read, where that is not the shop, or a part of it."""
        return self.refresh or ("known" if self.discover == ("known",) else "")

    @model_validator(mode="after")
    def _can_be_one_crawl(self) -> ShopArguments:
        if self.scope and self.part:
            raise ValueError("part=1 walks a category; it goes neither with refresh=prices nor with discover=known")
        if self.refresh and "discover" in self.model_fields_set:
            raise ValueError("refresh=prices finds its pages by itself: leave out discover")
        return self

    @model_validator(mode="after")
    def _names_a_shop(self) -> ShopArguments:
        if self.url is None and self.shop is None:
            raise ValueError("say which shop: -a url=https://shop.example, or -a shop=NAME for one that is known")
        return self


def web_address(value: str) -> str:
    """The address that the user means; ValueError where it is none of the web.

    It has https where no scheme is given, and the path / where there is none: links name it so, and it is one page, not two.

    >>> web_address("shop.example")
    'https://shop.example/'
    """
    address = value.strip() if "://" in value else f"https://{value.strip()}"
    if not address.startswith(("http://", "https://")) or len(address.split("/")[2]) < 1:
        raise ValueError(f"{value!r} is no http or https address")
    parts = urlsplit(address)
    return address if parts.path else parts._replace(path="/").geturl()


def parse_arguments(model: type[_Arguments], given: Mapping[str, Any]) -> _Arguments:
    """The user's arguments (a name that begins with _ is scrapyd's); UsageError where the model refuses them."""
    own = {name: value for name, value in given.items() if not name.startswith("_")}
    try:
        return model(**own)
    except ValidationError as error:
        raise UsageError(_explained(model, error)) from None


def _explained(model: type[BaseModel], error: ValidationError) -> str:
    lines = []
    for problem in error.errors():
        name = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            lines.append(f"There is no spider argument {name!r}. There are: {', '.join(model.model_fields)}.")
        else:
            text = problem["msg"].removeprefix("Value error, ")
            lines.append(f"Spider argument {name}: {text}." if name else f"{text[:1].upper()}{text[1:]}.")
    return " ".join(lines)
