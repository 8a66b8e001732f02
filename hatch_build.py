"""The wheel carries the built styles and scripts of the pages. An editable installation reads them in the checkout."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SiteBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Named in pyproject.toml. Refuses a wheel without them: nobody could build a release with it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        assets = Path(self.root, "dist", "site")
        if not (assets / "stamp").is_file():
            raise RuntimeError("dist/site has no styles and scripts of the pages: run `make install` first")
        build_data["force_include"].update(
            {
                str(assets): "outings/site/assets",
                str(Path(self.root, "site", "templates")): "outings/site/templates",
                str(Path(self.root, "site", "words")): "outings/site/words",
                str(Path(self.root, "docs", "guides")): "outings/site/guides",
            }
        )
