"""A model that can't be used is told before anything is built or served."""

from pathlib import Path

import pytest

from tests.command.conftest import Run


@pytest.mark.parametrize(("command", "code"), [("build", 2), ("serve", 1)])
def test_a_folder_without_a_model_is_refused(command: str, code: int, run: Run, config: Path) -> None:
    config.write_text(config.read_text() + '\n[search]\nmodel = "models/tiny"\n')
    result = run(command)
    assert result.exit_code == code
    assert f"model {config.parent}/models/tiny: there is no tokenizer.json; allowed: a folder with it" in result.stderr
    assert not (config.parent / "store").exists()
