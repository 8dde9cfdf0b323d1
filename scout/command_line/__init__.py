"""The command line: the console script `scout`, and what the commands in `scout.commands` share.

Scrapy takes every class in `scout.commands` for a command, so base classes and helpers live here. This module and `main` are all that
`scout --help` loads.
"""

import os
import sys

COMMANDS_MODULE = "scout.commands"

DONE, FAILED, WRONG_USAGE, BELOW_THRESHOLD = range(4)  # exit codes

SUMMARIES = {
    "crawl": "Crawl a shop: find its products and store their offers",
    "learn": "Learn a shop's rules from offers you already know",
    "report": "Report which offers of a shop are missing from your catalogue",
    "studio": "See shops, offers and pages in the browser; correct by clicking",
    "explain": "Show where each value of a product page comes from",
    "specs": "Print the specifications of the product on a page",
    "hel": "Try a rule of the extraction language HEL on a page",
    "rules": "Show a shop's rules, compare versions, or roll back",
    "heal": "Repair a shop's rules after a redesign, with proof",
    "template": "Check a matching template of yours, in YAML or XML",
    "evaluate": "Measure how well learned rules read offers they have not seen",
    "shops": "Add, list, import and remove shops; see which are due",
    "fleet": "Crawl all shops that are due, several at a time",
    "changes": "List what is new, gone, back, repriced or restocked since a time",
    "catalogue": "Import the known offers of a shop; accept offers as missing",
    "matches": "Decide which offer is which row of the catalogue, where Scout cannot",
    "crawls": "List crawls with their state, progress and failures",
    "prices": "Count the offers without a usable price, by shop",
    "export": "Export offers as CSV, JSON lines or XLSX",
    "pages": "List kept pages, or write them to a WARC or Parquet file",
    "reextract": "Extract offers again from kept pages, without fetching anything",
    "summarize": "Summarize the declared tables of a database for a gatherer",
    "mcp": "Answer the questions of an agent (Model Context Protocol)",
    "sample-shop": "Serve a small made-up shop on this machine, to try Scout with",
    "doctor": "Check this machine, and say what to do about what is not right",
    "clean-url": "Remove redirects and tracking parameters from URLs",
}  # command -> what it does, in the order of `scout --help`


def discard_output() -> None:
    """Call this when nobody reads standard output any more (`| head`): Python would complain again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
