"""Ask axe-core what a person with a screen reader, or little sight, would stumble over."""

from __future__ import annotations

from playwright.sync_api import Locator

from tools import node

_SCRIPT = node.EXTENSION / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """(element, rules) => axe.run(element, {
  resultTypes: ['violations'], preload: false, ...(rules.length && {runOnly: rules}),
}).then(result => result.violations)"""
"""Of what is in order nothing is asked: where each element stands would be worked out, too."""
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that depend on colours: in a second theme all others find what they found in the first.
"""
SCHEMES = (
    ({"color_scheme": "light", "forced_colors": "none"}, ()),
    ({"color_scheme": "dark", "forced_colors": "none"}, COLOURS),
    ({"color_scheme": "light", "forced_colors": "active"}, COLOURS),
)


def violations(element: Locator, *rules: str) -> list[str]:
    """List the rules broken inside an element, each with the first place where it is.

    All rules are tried, or these alone. The script runs in the element's own frame, also where
    that is sandboxed.
    """
    element.evaluate("(_, script) => { window.axe ?? eval.call(null, script) }", axe_script())
    return [
        f"{rule['id']}: {rule['help']} at {rule['nodes'][0]['html'][:200]}"
        for rule in element.evaluate(_RUN, rules)
    ]


def violations_in_any_colours(element: Locator) -> list[str]:
    """List the rules broken in light colours, and those about colours in dark and forced ones."""
    page, broken = element.page, []
    for emulated, rules in SCHEMES:
        page.emulate_media(**emulated)
        broken += [f"{each} {emulated}" for each in violations(element, *rules)]
    page.emulate_media(color_scheme="null", forced_colors="null")
    return broken


def axe_script() -> str:
    node.ensure_packages()
    return _SCRIPT.read_text(encoding="utf-8")
