"""The log of a server: one JSON object a line on standard error, whatever an event says."""

import json
import subprocess
import sys

EVENTS = """
import logging
import structlog
from edge.serving.worker import set_up_logs

set_up_logs()
log = structlog.get_logger()
log.info("release_served", release="1-00000000")
log.warning("file_not_read", path="\\udcff.json", size=2**70, kind=Path)
logging.getLogger("outings.release").warning("é")
"""


def test_each_event_is_a_line_of_json_also_one_with_half_a_sign_or_a_number_beyond_64_bits() -> None:
    program = f"from pathlib import Path{EVENTS}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    served, unread, shared = map(json.loads, done.stderr.splitlines())
    assert (served["event"], served["level"], served["release"]) == ("release_served", "info", "1-00000000")
    assert (unread["event"], unread["path"], unread["size"]) == ("file_not_read", "\udcff.json", 2**70)
    assert (shared["event"], shared["level"]) == ("é", "warning")
    assert all(line["timestamp"].endswith("Z") for line in (served, unread, shared))
