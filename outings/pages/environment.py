"""Jinja2 as every template of ours is read: a name that is not there is an error, and HTML is escaped."""

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from outings.pages.folders import find_templates


def open_environment(*, is_html: bool) -> Environment:
    """Without HTML a template says the escaping of its own format at each value."""
    return Environment(
        loader=FileSystemLoader(find_templates()), autoescape=is_html, undefined=StrictUndefined,  # noqa: S701
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
