"""The feed of changes, and the versions of a listing."""
