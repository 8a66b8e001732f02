"""The number of processes that a build's work is worth."""

import pytest

from pipeline.executors.local import START, choose_processes


@pytest.mark.parametrize(
    ("amounts", "limit", "count"),
    [
        ([], 8, 1),
        ([100 * START], 8, 1),  # one task can't be shared
        ([START, START], 2, 1),  # half of the work by the clock is saved, and two starts are spent
        ([3 * START, 3 * START], 2, 2),
        ([3 * START, 3 * START], 1, 1),
        ([10 * START, 0.1 * START], 2, 1),  # the longer one takes as long as before
        ([30 * START, 10 * START], 2, 2),  # a city and one of a third of its size
        ([50 * START] * 4, 8, 4),
        ([50 * START] * 40, 8, 8),
        ([4 * START] * 40, 40, 13),  # one more saves less than it costs
        ([0.0, 0.0], 2, 1),
    ],
)
def test_a_worker_is_started_only_where_it_saves_more_time_than_its_start_takes(
    amounts: list[float], limit: int, count: int
) -> None:
    assert choose_processes(amounts, limit=limit) == count
