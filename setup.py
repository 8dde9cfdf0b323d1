"""For scrapyd-deploy, which builds its egg with this file, and for the rules that go into it; all else is said in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

RULES = Path("rules")  # of this clone: <shop>.yaml and overlays
SHIPPED = Path("scout", "data", "rules")  # where scout.spiders.rules_store looks for them


class BuildWithRules(build_py):
    """An egg or wheel has the clone's rules in it: a machine that gets nothing else can use them."""

    def run(self) -> None:
        super().run()
        for path in sorted(RULES.glob("*.yaml")) if not self.editable_mode else ():
            target = Path(self.build_lib) / SHIPPED
            target.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(path), str(target / path.name))


setup(cmdclass={"build_py": BuildWithRules})
