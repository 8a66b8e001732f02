"""Locks of metros: all or none, waited for, and free when their holder lets go."""

import errno
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.lock import MetroLockError, hold_metros

NOW = datetime(2026, 8, 10, 12, tzinfo=UTC)


def test_who_asks_for_several_gets_all_or_none(tmp_path: Path) -> None:
    messages: list[str] = []
    with hold_metros(["seattle"], folder=tmp_path, patience=0, clock=lambda: NOW):
        with (
            pytest.raises(MetroLockError) as refused,
            hold_metros(
                ["boston", "seattle"], folder=tmp_path, patience=0, clock=lambda: NOW, progress=messages.append
            ),
        ):
            pass
        assert messages == []  # it does not wait
        message = str(refused.value)
        assert f"metro seattle is being built by process {os.getpid()} on " in message
        assert ", since 2026-08-10T12:00:00+00:00; nothing was done" in message
        with hold_metros(["boston"], folder=tmp_path, patience=0, clock=lambda: NOW):
            pass


def test_who_waits_gets_it_when_it_is_let_go_and_says_once_for_whom(tmp_path: Path) -> None:
    messages: list[str] = []
    with hold_metros(["seattle"], folder=tmp_path, patience=0, clock=lambda: NOW):
        waiting = threading.Thread(target=wait_for_seattle, args=(tmp_path, messages))
        waiting.start()
        while not messages:
            time.sleep(0.01)
        time.sleep(0.6)
        assert len(messages) == 1
    waiting.join(30)
    assert [message.partition(" by ")[0] for message in messages] == ["metro seattle is being built", "held"]
    assert messages[0].endswith("; waiting")


def wait_for_seattle(folder: Path, messages: list[str]) -> None:
    with hold_metros(["seattle"], folder=folder, patience=30, clock=lambda: NOW, progress=messages.append):
        messages.append("held")


def test_a_file_that_says_nothing_yet_is_another_process(tmp_path: Path) -> None:
    with hold_metros(["seattle"], folder=tmp_path, patience=0, clock=lambda: NOW):
        (tmp_path / "seattle.lock").write_text("")
        with (
            pytest.raises(MetroLockError, match="being built by another process"),
            hold_metros(["seattle"], folder=tmp_path, patience=0, clock=lambda: NOW),
        ):
            pass


def test_a_full_disk_takes_no_lock_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", fill)
    with (
        hold_metros(["seattle"], folder=tmp_path, patience=0, clock=lambda: NOW),
        pytest.raises(MetroLockError, match="being built by another process"),
        hold_metros(["seattle"], folder=tmp_path, patience=0, clock=lambda: NOW),
    ):
        pass
