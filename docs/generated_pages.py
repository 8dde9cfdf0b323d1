"""The pages of the documentation that code writes: a hook of mkdocs, run by every build (`make docs`)."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation

from scout.command_line import SUMMARIES
from scout.exchange.schemas import NAMES, load_schema

ROOT = Path(__file__).parents[1]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of `docs/`."""
    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Write llms.txt, the list of pages for language models."""
    files.append(File.generated(config, "llms.txt", content=llms_text(nav)))
    return nav


def pages() -> dict[str, str]:
    """The generated pages by path."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return {
        "index.md": readme_page(readme),
        "reference/commands.md": commands_page(),
        "reference/rule-schema.md": rule_schema_page(),
        "reference/schemas.md": schemas_page(),
        "reference/changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](../"),
    }


def readme_page(text: str) -> str:
    """The README as the first page: its links are relative to the clone."""
    text = text.replace("](docs/", "](").replace("](CHANGELOG.md)", "](reference/changelog.md)")
    return re.sub(r"\[([^]]+)\]\(CONTRIBUTING\.md\)", r"\1", text)


def commands_page() -> str:
    """Every command with its usage, description and options, from the code that parses them."""
    return "# Commands\n\n" + "\n".join(part for name in SUMMARIES for part in _command(name))


def _command(name: str) -> Iterator[str]:
    command = import_module(f"scout.commands.{name.replace('-', '_')}").Command()
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser.add_argument)
    yield f"## scout {name}\n\n{SUMMARIES[name]}.\n"
    yield "".join(f"    scout {name} {form}\n" for form in command.usage.split("\n"))
    description = command.long_desc().replace("\n\n", "\n").split("\n")
    yield "\n\n".join(f"`{line}`" if line.startswith("scout ") else line for line in description) + "\n"
    options = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    if options:
        yield "| argument | meaning |\n|---|---|\n" + "".join(map(_option, options))


def _option(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.choices:
        metavar = " or ".join(map(str, action.choices))
    name = ", ".join(action.option_strings) or metavar
    value = f" {metavar}" if action.option_strings and action.nargs != 0 else ""
    meaning = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%").replace("|", "\\|")
    return f"| `{(name + value).replace('|', chr(92) + '|')}` | {meaning} |\n"


def rule_schema_page() -> str:
    """The JSON Schema of a rule file, from the model that checks it."""
    from scout.rules.files import _ShopFile

    schema = json.dumps(_ShopFile.model_json_schema(by_alias=True), indent=1, ensure_ascii=False)
    intro = (
        "# The schema of rule files\n\nWhat [rule files](../rule-files.md) are checked against when they are loaded."
    )
    return f"{intro}\n\n```json\n{schema}\n```\n"


def schemas_page() -> str:
    """The published JSON Schemas: a table of the names, then the schema itself."""
    parts = ["# JSON Schemas", "What is written by whom, and how to use it: [contracts for programs](../contracts.md)."]
    for name in NAMES:
        schema = load_schema(name)
        parts += [f"## {schema['title']}", schema["description"], _properties(schema)]
        parts.append(f"```json\n{json.dumps(schema, indent=1, ensure_ascii=False)}\n```")
    return "\n\n".join(parts) + "\n"


def _properties(schema: dict[str, Any]) -> str:
    properties = schema["properties"] | {
        f"fields.*.{name}": value
        for name, value in schema.get("$defs", {}).get("evidence", {}).get("properties", {}).items()
    }
    rows = [f"| `{name}` | {value.get('description', '')} |" for name, value in properties.items()]
    return "\n".join(["| name | meaning |", "|---|---|", *rows])


def llms_text(nav: Navigation) -> str:
    """The pages with their addresses, in the form of llmstxt.org."""
    lines = ["# Scout", "", "> Complete, correct product offers out of any web shop, without a spider for each.", ""]
    for item in nav.items:
        children = item.children or [item]
        lines += [f"## {item.title or 'Scout'}", ""]
        lines += [f"- [{page.title or 'Scout'}]({page.url})" for page in children if page.is_page]
        lines.append("")
    return "\n".join(lines)
