"""Settings of pages that can't be."""

from collections.abc import Callable

import pytest

from outings.configuration import Configuration, ConfigurationError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("pages = {}", "feeds.agenda.pages.by: is missing; allowed: page, offset, next, link"),
        ('pages = { by = "cursor" }', 'feeds.agenda.pages.by: is "cursor"'),
        ('pages = { by = "next" }', "feeds.agenda.pages.path: is missing; allowed: where a page says"),
        ('pages = { by = "link", path = "a" }', 'feeds.agenda.pages.path: is set together with by = "link"'),
        ('pages = { by = "link", parameter = "p" }', "feeds.agenda.pages.parameter: is set together"),
        ('pages = { by = "offset", last = "a" }', "feeds.agenda.pages.last: is set together"),
        ('pages = { by = "page", size = 10 }', "feeds.agenda.pages.size_parameter: is missing"),
        ('pages = { by = "page", size = 0, size_parameter = "n" }', "feeds.agenda.pages.size: is 0"),
        ('pages = { by = "page" }\nskip = 2', "feeds.agenda.skip: is set together with pages, which are JSON"),
    ],
)
def test_pages_that_can_not_be_are_reported_before_anything_is_fetched(
    configure: Callable[..., Configuration], settings: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        configure(settings)
    assert message in "\n".join(map(str, raised.value.problems))


def test_a_file_has_no_pages(configure: Callable[..., Configuration]) -> None:
    with pytest.raises(ConfigurationError, match="is set together with a file"):
        configure(url="rows.json")
