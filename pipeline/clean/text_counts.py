"""Count the texts of people by member: ages, prices, hours and dates that no reader understood, or that are swapped."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from outings.texts.ages import read_ages
from outings.texts.amounts import read_amount
from pipeline.records import values

_SHOWN = 3
_SHOWN_CHARACTERS = 60
_UNREAD = "texts not understood"
_SWAPPED = "texts have the greater number first, and are read the other way round"
_TIMES: dict[str, Callable[[Any], object]] = {
    "starts_local": values.parse_local, "ends_local": values.parse_local, "date_on": values.parse_date,
    "starts_on": values.parse_date, "ends_on": values.parse_date, "start_time": values.parse_clock,
    "end_time": values.parse_clock,
}  # fmt: skip


class TextCounts:
    """Counts the texts of one feed. Those that were not understood, and those that are swapped, are counted one by
    one."""

    def __init__(self) -> None:
        self._all: Counter[str] = Counter()
        self._wrong: dict[tuple[str, str], Counter[str]] = {}

    def add(self, member: str, text: str, read: object, count: int = 1) -> None:
        """Count a text. `read`: what its reader returned, None if it did not understand the text."""
        self._all[member] += count
        fault = _UNREAD if read is None else _SWAPPED if getattr(read, "is_swapped", False) else ""
        if fault:
            self._wrong.setdefault((member, fault), Counter())[text] += count

    def add_record(self, raw: object, *, is_mapped: bool) -> None:
        """Count the texts of a raw record: its dates and hours, and ages or a price that it states in words alone.
        `is_mapped`: ages and prices are counted where they stand in their columns."""
        if isinstance(raw, dict):
            self._add_times(raw, "")
        if not isinstance(raw, dict) or is_mapped:
            return
        ages, price = raw.get("ages"), raw.get("price")
        if isinstance(ages, dict) and ages.get("min") is None and ages.get("max") is None:
            self._add_text("ages.text", ages.get("text"), read_ages)
        if isinstance(price, dict) and price.get("min") is None and price.get("max") is None:
            note = price.get("note") if price.get("type") == "varies" else None  # of offers that state no amount
            self._add_text("price.text", price.get("text") or note, read_amount)

    def _add_times(self, members: dict[str, Any], path: str) -> None:
        for name, value in members.items():
            if isinstance(value, str) and name in _TIMES:
                self._add_text(path + name, value, _TIMES[name])
            elif isinstance(value, dict):
                self._add_times(value, f"{path}{name}.")
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                for entry in value:
                    if isinstance(entry, dict):
                        self._add_times(entry, f"{path}{name}[].")

    def _add_text(self, member: str, text: object, read: Callable[[str], object]) -> None:
        if isinstance(text, str) and text.strip():
            try:
                self.add(member, text, read(text))
            except values.InvalidValue:
                self.add(member, text, None)

    def describe(self) -> Iterator[str]:
        """Yield a line for each member with such texts, with the three most frequent."""
        for (member, fault), texts in sorted(self._wrong.items()):
            frequent = sorted(texts.items(), key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]
            shown = ", ".join(
                f'"{" ".join(text.split())[:_SHOWN_CHARACTERS]}"' + (f" ({count:,})" if count > 1 else "")
                for text, count in frequent
            )
            yield f"{member}: {texts.total():,} of {self._all[member]:,} {fault}: {shown}"
