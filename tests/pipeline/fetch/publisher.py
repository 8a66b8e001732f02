"""A publisher of RPDE, as the standard's own queries say: by modified time and id, or by change number."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.pipeline.fetch.web import Page

Item = dict[str, Any]


@dataclass
class Publisher:
    """`items` as they stand, each once. `by_number`: in the order of change numbers, else by time and id; two share a
    time."""

    url: str
    by_number: bool = False
    limit: int = 3
    kind: str = "SessionSeries"
    items: dict[str, Item] = field(default_factory=dict)
    clock: int = 0

    def put(self, *ids: str, kind: str | None = None, **members: Any) -> None:
        for own in ids:
            data = {"type": "SessionSeries", "name": f"Walk {own}", "startDate": "2026-08-12T17:00:00Z", **members}
            self._say(own, {"state": "updated", "kind": kind or self.kind, "data": data})

    def delete(self, *ids: str) -> None:
        for own in ids:
            self._say(own, {"state": "deleted", "kind": self.items[own]["kind"]})

    def answer(self, target: str) -> Page:
        params = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        after = (int(params.get("afterChangeNumber") or params.get("afterTimestamp") or -1), params.get("afterId", ""))
        ordered = sorted(self.items.values(), key=self._rank)
        items = [item for item in ordered if not params or self._rank(item) > after][: self.limit]
        following = self.url.partition("/feed")[0] + target
        if items:
            modified, own = self._rank(items[-1])
            named = {"afterChangeNumber": modified} if self.by_number else {"afterTimestamp": modified, "afterId": own}
            following = f"{self.url}?{urlencode(named)}"
        body = {"next": following, "items": items, "license": "https://creativecommons.org/licenses/by/4.0/"}
        return Page(json.dumps(body, indent=2).encode(), headers={"Content-Type": "application/json"})

    def _say(self, own: str, item: Item) -> None:
        self.clock += 1
        modified = self.clock if self.by_number else self.clock // 2
        self.items[own] = {**item, "id": own, "modified": modified}

    def _rank(self, item: Item) -> tuple[int, str]:
        return (item["modified"], "") if self.by_number else (item["modified"], item["id"])
