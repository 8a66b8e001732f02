"""`outings demo` in a process of its own, as a newcomer starts it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A demo is built in two seconds; this is for a machine that runs other tests beside it.
PATIENCE = 60


def start_demo(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """The process, and what it printed up to the end of its requests."""
    output = folder / "output.txt"
    with output.open("wb") as printing:
        process = subprocess.Popen(
            [sys.executable, "-m", "command", "demo", "--port", "0", "-c", "var/outings.toml"],
            cwd=folder, stdout=printing, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    deadline = time.monotonic() + PATIENCE
    while not (printed := output.read_text()).endswith("\n\n"):
        if process.poll() is not None or time.monotonic() > deadline:
            stop_demo(process)
            pytest.fail(f"the demo printed no more than:\n{printed}")
        time.sleep(0.05)
    return process, printed


def build_demo(folder: Path) -> None:
    """Start a demo for the first time, and end it. Who starts it in a copy of the folder waits for no build."""
    process, _ = start_demo(folder)
    stop_demo(process)


def stop_demo(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=PATIENCE)
