"""Problems that axe finds in a page shown by a browser."""

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
    run = f"axe.run({{runOnly: {RULES}}}).then(found => found.violations.map(element => "
    run += "`${element.id}: ${element.help}: ` + element.nodes.map(node => node.html.slice(0, 160)).join('; ')))"
    evaluate(session, AXE.read_text() + "; null")
    violations = evaluate(session, run)
    session.detach()
    assert isinstance(violations, list)
    return violations


def find_sideways(page: "Page") -> list[str]:
    """Return the beginnings of texts that need sideways scrolling and are no code. Texts hidden for screen readers are
    left out, and the explorer's row of choices, which is meant to be moved."""
    elements: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('body *')].filter(element => element.scrollWidth > element.clientWidth + 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)"
        " && !element.closest('pre, .hidden-text, .choose'))"
        ".map(element => element.outerHTML.slice(0, 120))"
    )
    return elements


CONTROLS = (
    "button, .button, select, summary, textarea, nav a, label:has(input), input:not([type=checkbox], [type=radio])"
)


def find_small_targets(page: "Page") -> list[str]:
    """Controls that a finger misses: less than 44 px wide or high."""
    elements: list[str] = page.evaluate(
        "controls => [...document.querySelectorAll(controls)].filter(each => each.checkVisibility())"
        ".map(each => [each.getBoundingClientRect(), each.outerHTML.slice(0, 120)])"
        ".filter(([box]) => Math.min(box.width, box.height) < 43.9)"
        ".map(([box, html]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${html}`)",
        CONTROLS,
    )
    return elements


def find_outside(page: "Page") -> list[str]:
    """Return what reaches beyond the sides of the page."""
    elements: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('body *')]"
        ".filter(each => each.checkVisibility() && !each.closest('pre, svg, .map, .skip, .hidden-text, .choose > *'))"
        ".filter(each => { const { left, right, width } = each.getBoundingClientRect();"
        " return width > 1 && (left < -1 || right > document.documentElement.clientWidth + 1); })"
        ".map(each => each.outerHTML.slice(0, 120))"
    )
    return elements


def evaluate(session: Any, expression: str) -> Any:
    answer = session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
    if "exceptionDetails" in answer:
        pytest.fail(str(answer["exceptionDetails"]))
    return answer["result"].get("value")
