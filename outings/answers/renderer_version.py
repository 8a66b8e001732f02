"""The version of the code that renders answers. It has a module of its own, so that reading it imports nothing else."""

# Part of every ETag, and of the answers that a build writes ahead. Raise it when the bytes of an answer change for the
# same snapshot and request, and only then: `tests/golden` fails otherwise.
RENDERER_VERSION = 28
