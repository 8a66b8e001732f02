"""The number of what renders answers. It stands alone because what only asks for it needs no engine."""

# Part of every ETag, and of the answers that a build writes ahead. Raise it when the bytes of an answer change for the
# same snapshot and request, and only then: `tests/golden` fails otherwise.
RENDERER_VERSION = 12
