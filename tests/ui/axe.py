"""Ask axe-core what a person with a screen reader, or little sight, would stumble over."""

from __future__ import annotations

from playwright.sync_api import Page

from tools import node

_SCRIPT = node.EXTENSION / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Page, within: str) -> list[str]:
    """List the rules broken inside the element that `within` selects, each with its first place."""
    node.ensure_packages()
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(_SCRIPT.read_text(encoding="utf-8"))
    found = page.evaluate("selector => axe.run(selector).then(told => told.violations)", within)
    return [f"{rule['id']}: {rule['help']} at {rule['nodes'][0]['html'][:200]}" for rule in found]
