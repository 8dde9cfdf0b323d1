"""Bodies of hostile providers, by a name that can be part of a path: DB.* metadata that is malformed, contradictory or 10 MB, HEL with
evil expressions, and DBContent that wants more than it may. Each is refused with one line, but for what is HARMLESS.
"""

from __future__ import annotations

import html

FORM = '<form action="/find"><select name="r"><option>a<option>b</select><input name="t"><input name="u"><input type="submit" value="Search"></form>'
MEGABYTE = 1 << 20
EVIL_PATTERNS = ("(a+)+$", "(a|a)*b", "(.*a){25}", "(?:x+x+)+y", "([a-z]+)*[0-9]", "((a*)*)*b", "(a{1,1000}){1,1000}")

HARMLESS = frozenset({"ten-megabytes"})  # of an entry that nobody reads


def described(*entries: tuple[str, str]) -> str:
    """A form's page with these DB.* entries."""
    metas = "".join(f'<meta name="DB.{name}" content="{html.escape(value)}">' for name, value in entries)
    return f"<!DOCTYPE html><html><head>{metas}</head><body>{FORM}</body></html>"


def hostile_metadata() -> dict[str, str]:
    """Name -> page."""
    asked = ("QueryElement", "r")
    pages = {
        "unclosed-rule": described(asked, ("Result.name", "html.body->tr[1:*.td[0].txt")),
        "no-such-element": described(("QueryElement", "zzz")),
        "no-values": described(("QueryElement", "t")),
        "expansion": described(("QueryElement", "t"), ("QueryElement.t", "/[a-z]{8}/")),
        "endless-expansion": described(("QueryElement", "t"), ("QueryElement.t", "/a*/")),
        "product": described(
            ("QueryElements", "t, u"), ("QueryElement.t", "/[a-z]{2}/"), ("QueryElement.u", "/[a-z]{2}/")
        ),
        "script-elsewhere": described(asked, ("QueryScript", "http://169.254.169.254/latest, POST")),
        "script-file": described(asked, ("QueryScript", "file:///etc/passwd, GET")),
        "config-file": described(("ConfigFile", "file:///etc/passwd")),
        "config-elsewhere": described(("ConfigFile", "http://127.0.0.2:9/db.conf")),
        "two-scripts": described(asked, ("QueryScript", "/a, GET"), ("QueryScript", "/b, POST")),
        "two-navigations": described(asked, ("NavigationURL", "NO"), ("Navigation", "/find?*page=*")),
        "two-results": described(asked, ("Result", "html.body"), ("Result", "html.head"), ("Result.name", "b.txt")),
        "unbound-variable": described(
            asked, ("Result.name", "html.body->tr[i:*].txt where html.body->tr[j].txt = 'x'")
        ),
        "deep-rule": described(asked, ("Result.name", "html" + ".div" * 5_000 + ".txt")),
        "long-list": described(asked, ("QueryElement.r", ",".join(map(str, range(200_000))))),
        "ten-megabytes": described(asked, ("Result.name", "html.body->b[*].txt"), ("Keywords", "x" * (9 * MEGABYTE))),
        "many-entries": described(asked, *((f"Result.a{number}", "html.body->b[*].txt") for number in range(50_000))),
    }
    for number, pattern in enumerate(EVIL_PATTERNS):
        pages[f"evil-regex-{number}"] = described(asked, ("Result.name", f"html.body->b[*].txt, match /{pattern}/"))
    return pages


def hostile_contents(summarizer: str = "/cgi-bin/summarizer") -> dict[str, str]:
    """Name -> DBContent document."""
    head = f"Summarizer: {summarizer}\nURL: /search\nDatabase: shop\n"
    return {
        "drop": f"{head}Table: offers; DROP TABLE offers\nAttribute: name\n",
        "union": f"{head}Table: offers\nAttribute: name UNION SELECT password FROM secrets\n",
        "quoted": f'{head}Table: "offers"" WHERE 1=1 --"\nAttribute: name\n',
        "internal": "Summarizer: http://169.254.169.254/latest\nTable: t\nAttribute: a\n",
        "file": "Summarizer: file:///etc/passwd\nTable: t\nAttribute: a\n",
        "nothing": "Summarizer:\nTable:\nAttribute:\n",
        "long": f"{head}Table: {'t' * MEGABYTE}\nAttribute: name\n",
        "many": f"{head}Table: offers\n" + "Attribute: name\n" * 200_000,
    }
