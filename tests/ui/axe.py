"""Ask axe-core what a person with a screen reader, or little sight, would stumble over."""

from __future__ import annotations

from playwright.sync_api import Locator

from tools import node

_SCRIPT = node.EXTENSION / "node_modules" / "axe-core" / "axe.min.js"
_RUN = "element => axe.run(element).then(result => result.violations)"


def violations(element: Locator) -> list[str]:
    """List the rules broken inside an element, each with the first place where it is.

    The script runs in the element's own frame, also where that is sandboxed.
    """
    element.evaluate("(_, script) => { window.axe ?? eval.call(null, script) }", axe_script())
    return [
        f"{rule['id']}: {rule['help']} at {rule['nodes'][0]['html'][:200]}"
        for rule in element.evaluate(_RUN)
    ]


def axe_script() -> str:
    node.ensure_packages()
    return _SCRIPT.read_text(encoding="utf-8")
