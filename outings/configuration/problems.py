"""What is wrong with a configuration: where, and what is allowed."""

from pathlib import Path

from msgspec import Struct

from outings.failures import WrongSetting


class ConfigurationProblem(Struct, frozen=True, kw_only=True):
    """`key` is dotted (`feeds.spl.max_shrink`); null where the whole file is meant."""

    file: Path
    key: str | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.message}" if self.key else f"{self.file}: {self.message}"


class ConfigurationError(WrongSetting):
    """Every problem of one configuration, in the file's order."""

    def __init__(self, problems: tuple[ConfigurationProblem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))
