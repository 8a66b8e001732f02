"""Tests that need the history of the repository."""

from tests.pipeline.programs import OLDER, has_commit

collect_ignore = [] if has_commit(OLDER) else ["test_older_program.py"]
