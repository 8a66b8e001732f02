"""Count the texts of people that no reader understood, by member: ages, prices and hours."""

from collections import Counter
from collections.abc import Callable, Iterator

from outings.texts.ages import read_ages
from outings.texts.amounts import read_amount

_SHOWN = 3
_SHOWN_CHARACTERS = 60


class TextCounts:
    """Counts the texts of one feed. Texts that were not understood are counted one by one."""

    def __init__(self) -> None:
        self._read: Counter[str] = Counter()
        self._unread: dict[str, Counter[str]] = {}

    def add(self, member: str, text: str, is_understood: bool, count: int = 1) -> None:  # noqa: FBT001 - a reader's answer
        self._read[member] += count
        if not is_understood:
            self._unread.setdefault(member, Counter())[text] += count

    def add_record(self, raw: object) -> None:
        """Count the texts of a raw record that state ages or a price in words alone."""
        ages, price = (raw.get(name) if isinstance(raw, dict) else None for name in ("ages", "price"))
        if isinstance(ages, dict) and ages.get("min") is None and ages.get("max") is None:
            self._add_text("ages.text", ages.get("text"), read_ages)
        if isinstance(price, dict) and price.get("min") is None and price.get("max") is None:
            note = price.get("note") if price.get("type") == "varies" else None  # of offers that state no amount
            self._add_text("price.text", price.get("text") or note, read_amount)

    def _add_text(self, member: str, text: object, read: Callable[[str], object]) -> None:
        if isinstance(text, str) and text.strip():
            self.add(member, text, read(text) is not None)

    def describe(self) -> Iterator[str]:
        """Yield a line for each member with texts that were not understood, with the three most frequent."""
        for member, unread in sorted(self._unread.items()):
            frequent = sorted(unread.items(), key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]
            shown = ", ".join(
                f'"{" ".join(text.split())[:_SHOWN_CHARACTERS]}"' + (f" ({count:,})" if count > 1 else "")
                for text, count in frequent
            )
            yield f"{member}: {unread.total():,} of {self._read[member]:,} texts not understood: {shown}"
