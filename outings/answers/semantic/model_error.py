"""Errors of a model, in a file of their own, so that reporting them imports no numerical library."""

from pathlib import Path

from outings.failures import WrongSetting


class ModelError(WrongSetting):
    """A folder that holds no model that can be used: which, why, what is allowed."""

    def __init__(self, folder: Path, wrong: str) -> None:
        super().__init__(folder, wrong)

    def __str__(self) -> str:
        return f"model {self.args[0]}: {self.args[1]}"
