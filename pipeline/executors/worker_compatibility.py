"""What this process would build with: two machines of the same program make the same bytes."""

from collections.abc import Mapping

from pipeline.fingerprint import describe_libraries, hash_rules

_DIGITS = 16


def describe_program() -> Mapping[str, str]:
    """Versions by name: of Python, of our own sources (a hash), of each library; "none" of one that is not there."""
    libraries = dict(describe_libraries())
    return {"Python": libraries.pop("Python"), "outings": hash_rules()[:_DIGITS], **libraries}


def explain_difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str | None:
    """What differs, or None."""
    names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    return (
        "; ".join(f"{name} {theirs.get(name, 'none')} there and {ours.get(name, 'none')} here" for name in names)
        or None
    )
