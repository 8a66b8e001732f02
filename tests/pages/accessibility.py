"""What axe finds wrong with a page that a browser shows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "site/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def find_violations(page: "Page") -> list[str]:
    """A line each: the rule, and the elements. By the browser's own protocol, for the page's policy allows no script
    from outside, and a test that lifts it would not see what it blocks."""
    session = page.context.new_cdp_session(page)
    run = f"axe.run({{runOnly: {RULES}}}).then(found => found.violations.map(each => "
    run += "`${each.id}: ${each.help}: ` + each.nodes.map(node => node.html.slice(0, 160)).join('; ')))"
    evaluate(session, AXE.read_text() + "; null")
    found = evaluate(session, run)
    session.detach()
    assert isinstance(found, list)
    return found


def evaluate(session: Any, expression: str) -> Any:
    answer = session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
    if "exceptionDetails" in answer:
        pytest.fail(str(answer["exceptionDetails"]))
    return answer["result"].get("value")
