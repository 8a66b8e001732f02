from pathlib import Path

import pytest

from tests.command.messages import FILE, render_messages


def test_what_the_command_line_says_is_what_was_read_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OUTINGS_KEY", "")
    assert render_messages() == FILE.read_text(), "read the difference, then run `python -m tests.command.messages`"
