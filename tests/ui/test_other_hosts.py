"""Hosts that are not Jupyter's, imitated by what they document; marimo runs in test_marimo.py.

What is imitated: a front-end that knows only mimebundles and shows HTML in a sandboxed frame under
a strict policy, as VS Code and Colab do; and a host of anywidget's modules, as Colab's widget
manager, VS Code's and marimo's are.
"""

from __future__ import annotations

import base64
import json
import sys
from types import ModuleType

import pytest
from playwright.sync_api import expect

import tapelab as tf
from tapelab.views.html import static_file
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; style-src 'unsafe-inline';"
    " img-src data:; connect-src https:; child-src https: data:"
)
LENIENT = "default-src 'unsafe-inline' 'unsafe-eval' blob: data:"
RENDERERS = {"vscode": (POLICY, "vscode-dark"), "colab": (LENIENT, "")}
"""The policy of the frame in which a host shows an output, and what it calls its theme."""
MIME_RENDERER = """<!doctype html>
<meta http-equiv="Content-Security-Policy" content="%s">
<body class="%s"><div id="output"></div><script>
const bundle = %s;
const output = document.getElementById('output');
output.innerHTML = bundle['text/html'];
for (const dead of output.querySelectorAll('script')) {
  const alive = document.createElement('script');
  alive.textContent = dead.textContent;
  dead.replaceWith(alive);
}
</script>"""
MODULE_HOST = """<!doctype html><div id="el"></div><script type="module">
const state = %s;
const bytes = Uint8Array.from(atob(state.recording), letter => letter.charCodeAt(0));
state.recording = new DataView(bytes.buffer);
const handlers = {};
window.saves = [];
window.model = {
  get: name => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes: () => window.saves.push(state.step),
  on: (event, listener) => (handlers[event] ??= new Set()).add(listener),
  off: (event, listener) => handlers[event]?.delete(listener),
  send: () => {},
  change: (name, value) => {
    state[name] = value;
    handlers[`change:${name}`]?.forEach(listener => listener());
  },
};
const code = new Blob([%s], {type: 'text/javascript'});
const widget = (await import(URL.createObjectURL(code))).default;
const {model} = window;
await widget.initialize?.({model});
window.stop = await widget.render({model, el: document.getElementById('el')});
</script>"""


@pytest.fixture
def picture():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        z = x * tf.sin(x)
    return tf.show(tape, z)


@pytest.fixture
def page(browser):
    """A page without a network, whose console must stay silent."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    console = Console(page)
    yield page
    context.close()
    assert console.complaints() == []


def in_script(value: object) -> str:
    return json.dumps(value).replace("</", "<\\/")


def sandboxed(document: str) -> str:
    """A document in a frame that may run scripts, and reach nothing around it."""
    escaped = document.replace("&", "&amp;").replace('"', "&quot;")
    return f'<iframe sandbox="allow-scripts" srcdoc="{escaped}" width="1200" height="860"></iframe>'


@pytest.mark.parametrize(
    ("host", "shown"), [("vscode", "picture"), ("vscode", "what_if"), ("colab", "picture")]
)
def test_a_renderer_of_mimebundles_alone_shows_a_picture_that_steps(page, picture, host, shown):
    made = {
        "picture": lambda: picture,
        "what_if": lambda: tf.what_if(lambda x: x * tf.sin(x), x=(-3.0, 3.0)),
    }[shown]()
    bundle = made._repr_mimebundle_()
    assert WIDGET_VIEW not in bundle
    page.set_content(sandboxed(MIME_RENDERER % (*RENDERERS[host], in_script(bundle))))
    output = page.locator("iframe").content_frame.locator("#output")
    explorer = Explorer.in_frame(output)
    explorer.click_to_the_end_and_back()
    if shown == "picture":
        assert violations(explorer.root) == []
    if (host, shown) == ("vscode", "picture"):
        theme = output.locator("iframe").content_frame.locator("html").get_attribute("data-theme")
        assert theme == "dark"


def test_a_renderer_of_text_alone_has_the_tape_to_read(picture):
    text = picture._repr_mimebundle_()["text/plain"]
    assert "z = x * tf.sin(x)" in text
    assert "backward pass" in text


def test_any_host_of_anywidget_modules_runs_the_widget_and_gets_its_steps(page, picture):
    widget = picture.widget()
    names = ("step", "language", "words", "predictions", "explanation")
    state = {name: getattr(widget, name) for name in names} | {
        "recording": base64.b64encode(widget.recording).decode()
    }
    code = static_file("widget.js").read_text("utf-8")
    page.set_content(MODULE_HOST % (in_script(state), in_script(code)))
    explorer = Explorer.within(page)
    explorer.click_to_the_end_and_back()
    page.wait_for_function("window.saves.at(-1) === 0")
    page.evaluate("model.change('step', 3)")
    explorer.stands_at(3, explorer.steps())
    page.evaluate("stop()")
    expect(explorer.root).to_have_count(0)


def test_where_only_an_output_may_hold_a_widget_it_holds_it_and_the_text(monkeypatch, picture):
    """As on Colab; its widget manager itself is not to be had here."""
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    bundle = picture.widget()._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert WIDGET_VIEW in bundle
    assert "text/plain" in bundle
