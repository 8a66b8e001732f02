"""Errors that an operator can fix, one class for each exit code. Their message says what to do."""

from typing import ClassVar


class OperatorError(Exception):
    """A command failed because something that it needs can't be used: a feed, a cluster, a server."""

    exit_code: ClassVar[int] = 1


class WrongSetting(OperatorError):  # noqa: N818 - the name says it
    """The configuration, or a file that it names, is wrong."""

    exit_code = 2


class GuardRefusal(OperatorError):  # noqa: N818 - the name says it
    """A safety check stopped the command, such as one for too much shrink or a concurrent build."""

    exit_code = 3


class KeptVersion(OperatorError):  # noqa: N818 - the name says it
    """A release was published with the last good version of a feed, because its current one could not be used."""

    exit_code = 4


class EmptyFeed(OperatorError):  # noqa: N818 - the name says it
    """A release was published in which a feed has no listings at all."""

    exit_code = 5
