"""A pool of workers ends, whatever moment one of them dies in."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

_BUILD = """
    import os, signal, threading
    from concurrent.futures import BrokenExecutor
    from pipeline.executors.workers import open_workers

    def die_in_a_result(delay):
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return bytes(100_000_000)

    if __name__ == "__main__":
        with open_workers(2, abandon=lambda: (print("abandoned", flush=True), os._exit(1))) as pool:
            try:
                pool.submit(die_in_a_result, {delay}).result()
            except BrokenExecutor:
                print("broken")
"""


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_a_worker_that_dies_in_the_middle_of_its_result_ends_the_build(tmp_path: Path, delay: float) -> None:
    script = tmp_path / "building.py"
    script.write_text(textwrap.dedent(_BUILD).format(delay=delay))
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout.strip() in {"abandoned", "broken"}, ended.stderr
