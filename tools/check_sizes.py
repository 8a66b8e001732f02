"""Print each file of ours that has more than 600 lines, and fail if there is one."""

import subprocess
import sys
from pathlib import Path

LIMIT = 600
SUFFIXES = {".py", ".sql", ".toml", ".md", ".sh"}
# Whoever translates the pages has one file with all of their words.
WHOLE = frozenset({Path("site/words/en.toml"), Path("site/words/es.toml")})


def list_long_files() -> list[str]:
    """Every tracked or new text file over the limit, as `lines path`."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = [Path(name) for name in listed.split("\0") if name and _is_limited(Path(name))]
    sizes = {path: len(path.read_bytes().splitlines()) for path in paths if path.is_file()}
    return [f"{lines} {path}" for path, lines in sorted(sizes.items()) if lines > LIMIT]


def _is_limited(path: Path) -> bool:
    return path.suffix in SUFFIXES and path not in WHOLE


if __name__ == "__main__":
    if too_long := list_long_files():
        sys.exit(f"over {LIMIT} lines:\n" + "\n".join(too_long))
