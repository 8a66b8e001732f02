"""Where the templates of pages are: `site/` of a checkout, beside this file in an installed program."""

from pathlib import Path

_HERE = Path(__file__).parent


def find_template_folder() -> Path:
    installed = _HERE / "site"
    return installed if installed.is_dir() else _HERE.parent / "site"
