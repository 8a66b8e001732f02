"""Builds the pages' styles and scripts for a wheel. An editable installation reads them in the checkout."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SiteBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Named in pyproject.toml, which also asks for the node that bundles them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add templates, words, guides and what was bundled. Without npm's registry the wheel has no pages."""
        if version == "editable":
            return
        root = Path(self.root)
        folders = {"site/templates": "templates", "site/words": "words", "docs/guides": "guides"}
        if subprocess.run([root / "tools/build_site", sys.executable], cwd=root, check=False).returncode == 0:  # noqa: S603
            folders["dist/site"] = "assets"
        else:
            self.app.display_warning("The wheel has no pages: their styles and scripts could not be bundled.")
        build_data["force_include"].update(
            {str(root / folder): f"outings/site/{name}" for folder, name in folders.items()}
        )
