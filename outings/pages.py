"""Where the templates of pages that people read are: `site/` of a checkout, beside this file where it is installed."""

from pathlib import Path

_HERE = Path(__file__).parent


def find_template_folder() -> Path:
    installed = _HERE / "site"
    return installed if installed.is_dir() else _HERE.parent / "site"
