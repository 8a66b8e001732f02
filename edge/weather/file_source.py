"""`file`: forecasts of all metros in a file that the operator keeps up to date."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
import structlog

from outings.answers.weather import Forecast
from outings.release.disk import FileState, name_state
from outings.release.manifest import MetroSettings

log = structlog.get_logger()

MOST_BYTES = 64 * 2**20

_decode = msgspec.json.Decoder(dict[str, Forecast]).decode


class FileForecastSource:
    """A file that is gone, or can't be read, leaves what was read before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: FileState | None = None
        self._reason: str | None = None
        self._known: Mapping[str, Forecast] = {}

    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        try:
            status = self._path.stat()
            if name_state(status) != self._state:
                self._read(status)
        except (OSError, ValueError, RecursionError) as error:
            self._warn(str(error))
        return {slug: self._known[slug] for slug in metros if slug in self._known}

    def close(self) -> None:
        """Do nothing: no file is open."""

    def _read(self, status: os.stat_result) -> None:
        """Read the file. One with a fault is read again after it was replaced, one without permission each time."""
        data = self._path.read_bytes() if status.st_size <= MOST_BYTES else None
        self._state = name_state(status)
        if data is None:
            raise ValueError(f"it has {status.st_size} bytes; allowed: at most {MOST_BYTES}")
        self._known = _decode(data)
        self._reason = None

    def _warn(self, reason: str) -> None:
        """Log each fault once."""
        if reason != self._reason:
            log.warning("forecast_file_not_read", path=str(self._path), reason=reason)
            self._reason = reason
