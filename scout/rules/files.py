"""Rule files: rules/<shop>.yaml, made to be read and edited, checked against a schema. Errors name the file, the line and the problem.

YAML aliases are refused (a few lines of them exhaust any memory), and so are files above 1 MB. Every version is kept beside the file
(rules/.versions/<shop>/0001.yaml ...), so that `scrapy rules` can show what changed and go back.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scout.errors import RuleError, RuleSyntaxError
from scout.rules import selectors
from scout.rules.cuts import Cut
from scout.rules.model import DEFAULT_THRESHOLD, FieldRules, Rule, ShopRules
from scout.values import NumberLocale
from scout.values.tables import SAFE_LOADER

MAX_BYTES = 1_000_000  # a rule file has some kilobytes: anything larger is something else
FORMAT = 1
MAX_SLUG = 60  # characters of a file's name before the digest: well under every file system's limit
VERSIONS = ".versions"
_HEADER = "# Rules for reading this shop's pages. Edit freely: a selector with `locked: true` or `origin: manual` is never relearned.\n"
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # names that Windows does not allow
_SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*")
_LOOKS_DIGESTED = re.compile(r".*-[0-9a-f]{12}")  # like a name made by shop_slug(), so it gets a digest of its own


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _CutFile(_StrictModel):
    after: str = ""
    before: str = ""
    left: int = Field(0, ge=0)
    right: int = Field(0, ge=0)
    cents: bool = False


class _SelectorFile(_StrictModel):
    kind: Literal["text", "attribute", "trail", "label", "order", "data", "hel"]
    css: str | None = None
    node: int | None = Field(None, ge=1)
    match: int | None = Field(None, ge=1)
    first: int | None = Field(None, ge=0)
    last: int | None = Field(None, ge=0)
    attribute: str | None = None
    label: str | None = None
    tag: str | None = None
    to: str | None = None
    inside: bool | None = None
    path: str | None = None
    block: str | None = None
    rule: str | None = None
    after: int | None = None


class _RuleFile(_SelectorFile):
    cut: _CutFile | None = None
    quality: float = Field(1.0, ge=0, le=1)
    turn: int = Field(1, ge=1)
    support: int = Field(0, ge=0)
    sample: str | None = None
    learned: date | None = Field(None, strict=False)
    origin: Literal["learned", "induced", "manual"] = "manual"
    locked: bool = False
    check: bool = True
    reserve: bool = False
    begins: bool = False


class _FieldFile(_StrictModel):
    selectors: list[_RuleFile] = []
    precision: float | None = Field(None, ge=0, le=1)
    accuracy: float | None = Field(None, ge=0, le=1)
    found: int | None = Field(None, ge=0)
    known: int | None = Field(None, ge=0)
    diagnosis: str | None = None
    unanimous: bool = False
    given_up: bool = False


class _LocaleFile(_StrictModel):
    decimal: Literal[".", ","] | None = None
    thousands: str | None = None
    cents: bool = False


class _ShopFile(_StrictModel):
    format: Literal[1] = 1
    shop: str = ""
    learned: date | None = Field(None, strict=False)
    pages: int = Field(0, ge=0)
    threshold: float = Field(DEFAULT_THRESHOLD, ge=0, le=1)
    currency: str | None = Field(None, pattern="^[A-Z]{3}$")
    gross: bool | None = None
    locale: _LocaleFile | None = None
    fields: dict[str, _FieldFile] = {}
    structure: Any = None
    levels: Any = None
    specs: Any = None
    urls: Any = None


_SELECTOR_KEYS = tuple(_SelectorFile.model_fields)
_PLAIN_KEYS = ("shop", "pages", "threshold", "currency", "gross")
_KEPT_FOR_OTHERS = ("structure", "levels", "specs", "urls")

Loc = Sequence[str | int]


# --- text to rules ----------------------------------------------------------------------------------------------------
def _compose_yaml(text: str, source: str) -> yaml.Node | None:
    """The YAML node tree, which knows its line numbers. Aliases are refused before anything is built from them."""
    try:
        return _composed(text, source, SAFE_LOADER)
    except (yaml.YAMLError, RecursionError, ValueError):
        pass
    try:
        return _composed(text, source, yaml.SafeLoader)  # slower, and more exact about the line
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _yaml_error(source, error) from error


def _composed(text: str, source: str, loader: Any) -> yaml.Node | None:
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 1 if event.start_mark else None
            raise RuleSyntaxError(source, line, f"aliases (*{event.anchor}) are not allowed")
    node: yaml.Node | None = yaml.compose(text, Loader=loader)
    return node


def _yaml_error(source: str, error: Exception) -> RuleSyntaxError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return RuleSyntaxError(
        source, mark.line + 1 if mark else None, f"not YAML: {getattr(error, 'problem', None) or error}"
    )


def _line_of(node: yaml.Node | None, loc: Loc) -> int | None:
    """The line of the innermost existing node on the path `loc`."""
    line = node.start_mark.line + 1 if node is not None else None
    for key in loc:
        inner = _child_node(node, key)
        if inner is None:
            break
        node, line = inner, inner.start_mark.line + 1
    return line


def _child_node(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if name.value == str(key)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        inner: yaml.Node = node.value[key]
        return inner
    return None


def _validate(text: str, source: str) -> tuple[_ShopFile, yaml.Node | None]:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise RuleSyntaxError(source, None, f"larger than {MAX_BYTES // 1000} KB; not a rule file")
    node = _compose_yaml(text, source)
    try:
        data = yaml.load(text, Loader=SAFE_LOADER) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # such as a date in month 13
        raise _yaml_error(source, error) from error
    try:
        return _ShopFile.model_validate(data), node
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise RuleSyntaxError(source, _line_of(node, first["loc"]), f"{where}: {first['msg']}") from error


def _build_rule(data: _RuleFile) -> Rule:
    place = {key: value for key in _SELECTOR_KEYS if (value := getattr(data, key)) is not None}
    cut = Cut(**data.cut.model_dump()) if data.cut else Cut()
    learned = data.learned.isoformat() if data.learned else None
    rest = data.model_dump(exclude={*_SELECTOR_KEYS, "cut", "learned"})
    return Rule(selectors.from_dict(place), cut, learned=learned, **rest)


def _build_field_rules(name: str, data: _FieldFile, source: str, node: yaml.Node | None) -> FieldRules:
    rules = []
    for position, entry in enumerate(data.selectors):
        try:
            rules.append(_build_rule(entry))
        except RuleError as error:
            line = _line_of(node, ("fields", name, "selectors", position))
            raise RuleSyntaxError(source, line, f"fields.{name}.selectors.{position}: {error}") from error
    return FieldRules(tuple(rules), **data.model_dump(exclude={"selectors"}))


def parse_rules(text: str, source: str = "rules") -> ShopRules:
    """The rules in a rule file's text; `source` names it in errors."""
    data, node = _validate(text, source)
    return ShopRules(
        fields={name: _build_field_rules(name, entry, source, node) for name, entry in data.fields.items()},
        locale=NumberLocale(**data.locale.model_dump()) if data.locale else None,
        learned=data.learned.isoformat() if data.learned else None,
        **{name: getattr(data, name) for name in (*_PLAIN_KEYS, *_KEPT_FOR_OTHERS)},
    )


# --- rules to text ----------------------------------------------------------------------------------------------------
class _Dumper(yaml.SafeDumper):
    """Writes nested lists indented, and no aliases, which load_rules() would refuse."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # YAML readers take these for line ends and fold them into spaces unless they are escaped
    style = '"' if any(mark in text for mark in "\x85\u2028\u2029\ufeff") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _without_none(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def _rule_data(rule: Rule) -> dict[str, Any]:
    data = selectors.as_dict(rule.selector)
    cut = {key: value for key, value in vars(rule.cut).items() if value}
    if cut:
        data["cut"] = cut
    data |= {"quality": rule.quality} | ({"turn": rule.turn} if rule.turn > 1 else {}) | {"support": rule.support}
    data |= _without_none({"sample": rule.sample, "learned": _parse_date(rule.learned), "origin": rule.origin})
    unusual = {"locked": rule.locked, "check": rule.check, "reserve": rule.reserve, "begins": rule.begins}
    return data | {name: value for name, value in unusual.items() if value is not _RuleFile.model_fields[name].default}


def _parse_date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _field_data(rules: FieldRules) -> dict[str, Any]:
    numbers = {"precision": rules.precision, "accuracy": rules.accuracy, "found": rules.found, "known": rules.known}
    entries = {"selectors": [_rule_data(rule) for rule in rules.rules]} if rules.rules else {}
    notes = {"diagnosis": rules.diagnosis, "unanimous": rules.unanimous or None, "given_up": rules.given_up or None}
    return _without_none(numbers | notes) | entries


def dump_rules(rules: ShopRules) -> str:
    """The rules as the text of a rule file."""
    head = {"format": FORMAT, "shop": rules.shop, "learned": _parse_date(rules.learned), "pages": rules.pages}
    head |= {"threshold": rules.threshold, "currency": rules.currency, "gross": rules.gross}
    if rules.locale is not None:
        locale = rules.locale
        head["locale"] = {"decimal": locale.decimal, "thousands": locale.thousands, "cents": locale.cents}
    head["fields"] = {name: _field_data(entry) for name, entry in rules.fields.items()}
    head |= {name: getattr(rules, name) for name in _KEPT_FOR_OTHERS}
    return _HEADER + yaml.dump(_without_none(head), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=140)


# --- files ------------------------------------------------------------------------------------------------------------
def shop_slug(shop: str) -> str:
    """A safe file name for any shop name: never outside the rules directory, and never the same for two shops.

    >>> shop_slug("shop.example")
    'shop.example'
    >>> shop_slug("../../etc").startswith("etc-")
    True
    """
    reserved = _RESERVED.fullmatch(shop.partition(".")[0]) or _LOOKS_DIGESTED.fullmatch(shop)
    if len(shop) <= MAX_SLUG and _SAFE_NAME.fullmatch(shop) and not reserved:
        return shop
    plain = unicodedata.normalize("NFKD", shop).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_SLUG] or "shop"
    return f"{readable}-{hashlib.sha256(shop.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def rule_path(directory: str | Path, shop: str) -> Path:
    """The path of the shop's rule file."""
    return Path(directory) / f"{shop_slug(shop)}.yaml"


def load_rules(path: Path) -> ShopRules:
    """The rules in a file. Raises RuleSyntaxError if it cannot be read or used."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RuleSyntaxError(str(path), None, f"larger than {MAX_BYTES // 1000} KB; not a rule file")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RuleSyntaxError(str(path), None, f"not UTF-8: {error.reason}") from error
    except OSError as error:
        raise RuleSyntaxError(str(path), None, f"cannot be read: {error.strerror}") from error
    return parse_rules(text, str(path))


def _write_atomically(path: Path, text: str) -> None:
    """Write the whole text or nothing: no reader ever sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:20]}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def rule_versions(path: Path) -> list[Path]:
    """All kept versions of a rule file, oldest first."""
    return sorted((path.parent / VERSIONS / path.stem).glob("[0-9]*.yaml"))


def save_rules(rules: ShopRules, path: Path) -> None:
    """Write the rule file and keep a copy as a version, unless it equals the last one."""
    text = dump_rules(rules)
    kept = rule_versions(path)
    if path.exists() and (not kept or kept[-1].read_text(encoding="utf-8") != path.read_text(encoding="utf-8")):
        kept.append(_add_version(path, path.read_text(encoding="utf-8"), kept))  # edited by hand since
    if not kept or kept[-1].read_text(encoding="utf-8") != text:
        _add_version(path, text, kept)
    _write_atomically(path, text)


def _add_version(path: Path, text: str, kept: Sequence[Path]) -> Path:
    number = int(kept[-1].stem) + 1 if kept else 1
    version = path.parent / VERSIONS / path.stem / f"{number:04d}.yaml"
    _write_atomically(version, text)
    return version
