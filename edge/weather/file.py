"""`file`: a forecast a metro, in a file of the operator's that somebody else keeps fresh."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import structlog

from outings.answers.weather.forecast import Forecast
from outings.release.snapshot import MetroSettings

log = structlog.get_logger()

MOST_BYTES = 64 * 2**20

_decode = msgspec.json.Decoder(dict[str, Forecast]).decode
_Stamp = tuple[int, int, int]


class FileSource:
    """A file that is gone, or can't be read, leaves what was read before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: _Stamp | None = None
        self._reason: str | None = None
        self._known: Mapping[str, Forecast] = {}

    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        try:
            stat = self._path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if stamp != self._stamp:
                self._stamp = stamp
                self._read(stat.st_size)
        except (OSError, ValueError) as error:
            self._warn(str(error))
        return {slug: self._known[slug] for slug in metros if slug in self._known}

    def close(self) -> None:
        """Nothing is open."""

    def _read(self, size: int) -> None:
        if size > MOST_BYTES:
            raise ValueError(f"it has {size} bytes; allowed: at most {MOST_BYTES}")
        self._known = _decode(self._path.read_bytes())
        self._reason = None

    def _warn(self, reason: str) -> None:
        """Once of each fault."""
        if reason != self._reason:
            log.warning("forecast_file_not_read", path=str(self._path), reason=reason)
            self._reason = reason
