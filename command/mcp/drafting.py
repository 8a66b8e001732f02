"""Draft feeds for an assistant as `outings init --json` does, of files in one folder and of public addresses.

Nothing is written: the answer has the text of the configuration, which a person may keep.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import orjson

from command.mcp.answers import flatten
from outings.failures import OperatorError, WrongSetting

NAME = "draft_feed"
USE = (
    "Draft the configuration of a feed from a file or an address: what each column becomes, what is doubtful and the "
    "first listings. Nothing is written."
)
_OPTIONS = ("metro", "center", "timezone", "language", "type")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "source": {"type": "string", "description": "A file's path below the server's folder, or an https:// address"},
        "metro": {"type": "string", "description": "The city's name, if the rows do not say it"},
        "center": {"type": "string", "description": "Its center, as 47.61,-122.33"},
        "timezone": {"type": "string", "description": "As America/New_York"},
        "language": {"type": "string", "description": "As en"},
        "type": {"enum": ["event", "class", "camp", "place"]},
        "columns": {
            "type": "array", "items": {"type": "string"}, "description": "What columns are: name=TITLE, ignore=VISITORS"
        },
    },
    "required": ["source"],
    "additionalProperties": False,
}  # fmt: skip
# The other variables may be secrets, which an address could be sent.
_ENVIRON = ("PATH", "HOME", "TMPDIR", "LANG", "PYTHONPATH")


class Drafting:
    """Drafts feeds, one at a time. `folder`: the only one whose files are read. Hidden files are not."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder.resolve(), Lock()

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Return what `outings init --json` prints, with the text of the configuration. Raises OperatorError."""
        if unknown := arguments.keys() - SCHEMA["properties"].keys():
            raise WrongSetting(f"{', '.join(sorted(unknown))}: expected {', '.join(SCHEMA['properties'])}")
        source = str(arguments.get("source", ""))
        source = source if re.match("https?://", source) else str(self._find_file(source))
        words = [f"--{name}={arguments[name]}" for name in _OPTIONS if arguments.get(name)]
        words += [f"--column={column}" for column in arguments.get("columns", ())]
        with self._lock, TemporaryDirectory() as scratch:
            config = Path(scratch, "outings.toml").resolve()
            # -P: no module is taken from the folder.
            done = subprocess.run(  # noqa: S603 our own command, and no option but those above
                [sys.executable, "-P", "-m", "command", "init", *words, "--json", "-c", str(config), "--", source],
                env={name: os.environ[name] for name in _ENVIRON if name in os.environ},
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                told = done.stderr.rpartition("Error: ")[2].replace(f"{self._folder}{os.sep}", "")
                raise OperatorError(str(flatten(told.replace("\n", "; ").strip("; "))))
            there, here = (os.path.relpath(source, folder) for folder in (config.parent, self._folder))
            drafted = flatten(orjson.loads(done.stdout.replace(there, here)))
            drafted["config"] = "\n".join(map(flatten, config.read_text().replace(there, here).split("\n")))
        return orjson.dumps(drafted).decode()

    def _find_file(self, stated: str) -> Path:
        """Return the file of a path below the folder. Raises WrongSetting for any other, and for a hidden one."""
        file = (self._folder / stated).resolve()
        inside = file.is_relative_to(self._folder) and file.is_file()
        if not inside or any(step.startswith(".") for step in file.relative_to(self._folder).parts):
            raise WrongSetting(f"source {stated}: expected a file in the folder of this server, or an https:// address")
        return file
