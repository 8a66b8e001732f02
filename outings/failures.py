"""What an operator can mend, by the exit code with which it ends a command. The text says what to do."""

from typing import ClassVar


class OperatorError(Exception):
    """What a command was to do failed: a feed, a cluster, a server that can't be read."""

    exit_code: ClassVar[int] = 1


class WrongSetting(OperatorError):  # noqa: N818 - the name says it
    """The configuration, or a file that it names, is wrong."""

    exit_code = 2


class GuardRefusal(OperatorError):  # noqa: N818 - the name says it
    """A guard refused (too much shrink, a concurrent build)."""

    exit_code = 3
