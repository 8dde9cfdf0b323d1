"""Learn, crawl, report: the commands a user would type, and whether their answer is what the shop's own database says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.shops.oscar.running import OscarShop

NAME = "fernhill"
# The shop is our own and on this machine, so the pauses that a stranger's shop is owed can be short.
IN_A_HURRY = {"DOWNLOAD_DELAY": 0.01, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 4}
PROGRESS_SECONDS = 5

Say = Callable[[str], None]


class DemoFailed(Exception):
    """A step did not do what it should; the text says which and where its log is."""


@dataclass(frozen=True)
class Answer:
    """What Scout says and what the shop says: which articles are missing from the catalogue."""

    said: dict[str, str]
    true: dict[str, str]
    offers: int
    report: Path

    @property
    def is_right(self) -> bool:
        """Whether the two are the same, to the last offer."""
        return self.said.keys() == self.true.keys()

    def differences(self) -> Iterator[str]:
        """A line for each article on which the two disagree."""
        for sku in sorted(self.true.keys() - self.said.keys()):
            yield f"{sku} is missing from the catalogue, but Scout does not say so: {self.true[sku]}"
        for sku in sorted(self.said.keys() - self.true.keys()):
            yield f"{sku} is in the catalogue, but Scout says it is missing: {self.said[sku]}"


@dataclass(frozen=True)
class Demo:
    """The flow on one running shop; everything it writes goes into `folder`."""

    shop: OscarShop
    folder: Path
    say: Say = print

    def run(self) -> Answer:
        """All steps; the answer at the end."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        catalogue = self.folder / "catalogue.csv"
        catalogue.write_text(self.shop.catalogue(), encoding="utf-8")
        self._scout("shops", "add", NAME, self.shop.url)
        self.say("\nLearning where the values stand, from the offers that the catalogue knows")
        self._scout("learn", NAME, "--offers", str(catalogue), *_options(IN_A_HURRY))
        self.say("\nCrawling the shop")
        self._scout(
            "crawl",
            "shop",
            "-a",
            f"shop={NAME}",
            *_options({**IN_A_HURRY, "SCOUT_PROGRESS_INTERVAL": PROGRESS_SECONDS}),
        )
        self.say("\nMatching the shop's offers with the catalogue")
        self._scout("report", NAME, "--out", str(self.folder / "reports"))
        return self._answer()

    def _scout(self, *arguments: str) -> None:
        """One command, shown as it would be typed; its output as it comes, its log beside the results."""
        self.say(f"$ scout {' '.join(_shown(arguments))}")
        command = [str(Path(sys.executable).with_name("scout")), *arguments, *_options(self._places())]
        log = self.folder / f"{arguments[0]}.log"
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            assert process.stdout
            with log.open("w", encoding="utf-8") as file:
                for line in process.stdout:
                    file.write(line)
                    self.say(line.rstrip())
        if process.returncode:
            raise DemoFailed(f"`scout {arguments[0]}` ended with exit code {process.returncode}; its log: {log}")

    def _places(self) -> dict[str, str]:
        return {
            "SCOUT_DATABASE": f"sqlite:///{self.folder / 'scout.db'}",
            "SCOUT_RULES_DIR": str(self.folder / "rules"),
        }

    def _answer(self) -> Answer:
        folder = self.folder / "reports" / NAME
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        said = {offer["sku"] or offer["url"]: offer["url"] for offer in report["missing"]}
        return Answer(said, self.shop.missing(), report["summary"]["offers"], folder / "report.html")


def _options(settings: Mapping[str, object]) -> Iterator[str]:
    return (part for name, value in settings.items() for part in ("-s", f"{name}={value}"))


def _shown(arguments: tuple[str, ...]) -> Iterator[str]:
    """The arguments without the settings of the demo itself."""
    settings = False
    for argument in arguments:
        if argument == "-s" or settings:
            settings = not settings
        else:
            yield argument
