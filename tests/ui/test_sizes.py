"""The Explorer fits: in JupyterLab beside its file browser, on every usual screen, at every step.

What is visible is asserted from layout boxes. One server, one notebook for each scene; the page is
resized, the code is not run again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.ui.explorer import Explorer
from tests.ui.notebook import Notebook
from tests.ui.views import Views

SIZES: Final = {
    "laptop": (1366, 768),
    "projector": (1280, 720),
    "large laptop": (1440, 900),
    "desk": (1920, 1080),
}
SCALE: Final = 1.5
"""Of a projector that shows everything half as large again."""

TWO_PATHS: Final = """\
import tapelab as tf
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    product = x * y
    wave = tf.sin(x)
    z = product + wave

tf.show(tape, z)"""
PERCEPTRON: Final = """\
import tapelab as tf
tf.random.set_seed(1)
X, Y = tf.random.normal([32, 8]), tf.one_hot(tf.random.uniform([32], 0, 3, tf.int32), 3)
W1 = tf.Variable(tf.random.normal([8, 16]) * 0.1, name="W1")
b1 = tf.Variable(tf.zeros([16]), name="b1")
W2 = tf.Variable(tf.random.normal([16, 3]) * 0.1, name="W2")
b2 = tf.Variable(tf.zeros([3]), name="b2")
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(3):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(X @ W1 + b1)
        logits = hidden @ W2 + b2
        losses = tf.nn.softmax_cross_entropy_with_logits(labels=Y, logits=logits)
        loss = tf.reduce_mean(losses) + 1e-4 * (tf.nn.l2_loss(W1) + tf.nn.l2_loss(W2))
    gradients = tape.gradient(loss, [W1, b1, W2, b2])
    optimizer.apply_gradients(zip(gradients, [W1, b1, W2, b2]))
tf.show(tape)"""
CONVOLUTION: Final = """\
import tapelab as tf
tf.random.set_seed(2)
images = tf.random.normal([4, 12, 12, 1])
labels = tf.one_hot([0, 1, 2, 0], 3)
k1 = tf.Variable(tf.random.normal([3, 3, 1, 4]) * 0.2, name="k1")
k2 = tf.Variable(tf.random.normal([3, 3, 4, 8]) * 0.2, name="k2")
w = tf.Variable(tf.random.normal([72, 3]) * 0.1, name="w")

def features(images):
    h = tf.nn.relu(tf.nn.conv2d(images, k1, strides=1, padding="SAME"))
    h = tf.nn.max_pool2d(h, 2, 2, "SAME")
    h = tf.nn.relu(tf.nn.conv2d(h, k2, strides=1, padding="SAME"))
    return tf.nn.max_pool2d(h, 2, 2, "SAME")

with tf.GradientTape() as tape:
    flat = tf.reshape(features(images), [4, -1])
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, flat @ w))
tf.show(tape, loss)"""
ATTENTION: Final = """\
import tapelab as tf
tf.random.set_seed(3)
tokens = tf.random.normal([1, 6, 8])
Wq, Wk, Wv = (tf.Variable(tf.random.normal([8, 8]) * 0.3, name=name) for name in ("Wq", "Wk", "Wv"))
mask = tf.linalg.band_part(tf.ones([6, 6]), -1, 0)

def attention(q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(8.0) + (1.0 - mask) * -1e9
    return tf.matmul(tf.nn.softmax(scores, axis=-1), v)

with tf.GradientTape() as tape:
    out = attention(tokens @ Wq, tokens @ Wk, tokens @ Wv)
    loss = tf.reduce_mean(tf.square(out - tokens))
tf.show(tape, loss)"""
NESTED: Final = """\
import tapelab as tf
x = tf.Variable([1.0, 2.0], name="x")
with tf.GradientTape(persistent=True) as outer:
    with tf.GradientTape() as inner:
        energy = tf.reduce_sum(tf.sin(x) * x**2) + x[0] * x[1]
    force = inner.gradient(energy, x)
    penalty = tf.reduce_sum((tf.norm(force) - 1.0) ** 2) + tf.reduce_sum(tf.sin(x) * force)
tf.show(outer, penalty)"""
SCENES: Final = {
    "two paths": TWO_PATHS,
    "perceptron": PERCEPTRON,
    "convolution": CONVOLUTION,
    "attention": ATTENTION,
    "nested": NESTED,
}

MEASURE: Final = """const measure = (root) => {
  const rect = (one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const box = (selector) => {
    const found = [...root.querySelectorAll(selector)].find((one) => one.checkVisibility());
    return found ? rect(found) : null;
  };
  const bars = (one) => {
    const { overflowX, overflowY, scrollbarWidth } = getComputedStyle(one);
    const bar = (overflow) => /auto|scroll/.test(overflow) && scrollbarWidth !== 'none';
    return (bar(overflowX) && one.scrollWidth > one.clientWidth)
      + (bar(overflowY) && one.scrollHeight > one.clientHeight);
  };
  const page = root.ownerDocument.scrollingElement;
  const inside = [...root.querySelectorAll('*')].filter((one) => bars(one));
  return {
    step: root.querySelector('.position')?.innerText ?? '',
    root: rect(root), bar: box('.bar'), body: box('.body, .why'), foot: box('.foot, .timelinewrap'),
    left: box('.left'), code: box('.code'), line: box('.code .ln.on'), mark: box('.code .hl'),
    about: box('.about, .say'), title: box('.about h3, .say h3'), formula: box('.about .eq'),
    contribution: box('.sum .total'), graph: box('.stage'), pane: box('.stage, .pane'),
    node: box('.nd:is(.v, .g, .n, .s) .box'), frame: box('.fr.now'),
    bars: inside.map((one) => one.className),
    page: (page.scrollHeight > page.clientHeight) + (page.scrollWidth > page.clientWidth),
  };
};"""
"""Where the parts of an Explorer stand, and which of them have bars to scroll."""

EVERY_STEP: Final = (
    MEASURE
    + """
const press = (root, key) => (root.querySelector('.fr.now') ?? root).dispatchEvent(
  new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }));
"""
)
WALK: Final = f"""root => {{{EVERY_STEP}
  press(root, 'Home');
  const seen = [measure(root)];
  for (;;) {{
    press(root, 'ArrowRight');
    const next = measure(root);
    if (next.step === seen.at(-1).step) return seen;
    seen.push(next);
  }}
}}"""
PRESS: Final = f"(root, key) => {{{EVERY_STEP} press(root, key); return measure(root); }}"
SMALLEST_TEXT: Final = """root => {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const small = [];
  while (texts.nextNode()) {
    const { parentElement: one, data } = texts.currentNode;
    if (!data.trim() || !one.checkVisibility() || one.closest('.sr, style')) continue;
    const scale = one.ownerSVGElement ? one.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(one).fontSize) * scale;
    if (size < 10.99) small.push([data, size, one.className?.baseVal ?? one.className]);
  }
  return small;
}"""


class Box(NamedTuple):
    """Where something stands on the screen."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)

    def contains(self, other: Box) -> bool:
        slack = 1.0
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )


@dataclass(frozen=True)
class Look:
    """What stands where at one step."""

    step: str
    boxes: dict[str, Box]
    bars: list[str]
    page: int

    @classmethod
    def of(cls, measured: dict[str, Any]) -> Look:
        boxes = {
            name: Box(*value)
            for name, value in measured.items()
            if _is_box(value) and name != "bars"
        }
        return cls(measured["step"], boxes, measured["bars"], measured["page"])

    def shows(self, part: str, within: str) -> bool:
        """Whether a part that is there is seen whole; in its place, the lines of it that fit."""
        return part not in self.boxes or self.boxes[within].contains(self.boxes[part])

    def fills(self, views: Views) -> bool:
        """Whether the Explorer takes the whole window."""
        width, height = views.page.evaluate("[innerWidth, innerHeight]")
        return self.boxes["root"] == Box(0, 0, width, height)

    @property
    def graph_share(self) -> float:
        return self.boxes["graph"].area / self.boxes["root"].area


def _is_box(value: object) -> bool:
    return isinstance(value, list) and len(value) == 4 and not isinstance(value[0], str)


@dataclass(frozen=True)
class Stage:
    """One scene in a notebook, and the frame of its output."""

    notebook: Notebook
    number: int

    @property
    def explorer(self) -> Explorer:
        return Explorer.in_frame(self.notebook.output(self.number))

    def come_into_view(self, size: tuple[int, int]) -> None:
        """Resize the window, scroll to the output, and wait until its frame has followed."""
        width, height = size
        self.notebook.page.set_viewport_size({"width": width, "height": height})
        frame = self.notebook.output(self.number).locator("iframe")
        frame.scroll_into_view_if_needed()
        arguments = [frame.element_handle(), self.notebook.panel.element_handle()]
        self.notebook.page.wait_for_function(SEEN_WHOLE, arg=arguments)
        expect(self.explorer.counter).to_be_visible()

    def walk(self) -> list[Look]:
        """Look at every step from the first to the last."""
        return [Look.of(each) for each in self.explorer.root.evaluate(WALK)]

    def press(self, key: str) -> Look:
        return Look.of(self.explorer.root.evaluate(PRESS, key))


SEEN_WHOLE: Final = """([frame, notebook]) => {
  const panel = notebook.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
  frame.scrollIntoView({ block: 'end' });
  const { top, bottom, width } = frame.getBoundingClientRect();
  const now = `${innerWidth} ${innerHeight} ${top} ${bottom} ${width}`;
  const stood = frame.dataset.stood;
  frame.dataset.stood = now;
  return stood === now && top >= panel.top - 1 && bottom <= panel.bottom + 1;
}"""
"""Scrolls to a frame, and says whether all of it is seen and it stands as it did before."""


@pytest.fixture(scope="module", params=SCENES)
def stage(open_notebooks, request) -> Stage:
    """Run every scene once, in one notebook."""
    if not _opened:
        _opened.append(open_notebooks(*SCENES.values()))
        _opened[0].run_all()
    return Stage(_opened[0], list(SCENES).index(request.param))


_opened: list[Notebook] = []


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_at_every_step_what_matters_is_seen_at_once(stage, size):
    stage.come_into_view(size)
    looks = stage.walk()
    assert len(looks) > 5
    for look in looks:
        assert look.graph_share >= 0.45, look.step
        assert len(look.bars) + look.page <= 1, (look.step, look.bars)
        assert look.shows("node", within="graph"), look.step
        assert look.shows("mark", within="code"), look.step
        assert look.shows("title", within="about"), look.step
        assert look.shows("formula", within="about"), look.step
        assert look.shows("contribution", within="about"), look.step
        assert look.shows("frame", within="foot"), look.step
        assert look.boxes["root"].contains(look.boxes["foot"])


KEYS: Final = [
    *("1", "2", "3", "4", "p", "w", "f", "F", "s", "b", "+", "-", "0"),
    *("Home", "End", "ArrowRight", "ArrowLeft", "ArrowRight"),
]


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_was_pressed_no_hole_is_left(stage, seed):
    stage.come_into_view(SIZES["laptop"])
    first, pressed = stage.press("Home"), []
    for key in random.Random(seed).choices(KEYS, k=40):
        pressed.append(key)
        boxes = stage.press(key).boxes
        assert boxes["root"] == first.boxes["root"], pressed
        assert abs(boxes["bar"].bottom - boxes["body"].top) <= 1, pressed
        assert abs(boxes["body"].bottom - boxes["foot"].top) <= 1, pressed
        assert abs(boxes["about"].bottom - boxes["left"].bottom) <= 2, pressed
        assert boxes["pane"].bottom >= boxes["body"].bottom - 60, pressed


def test_no_text_is_smaller_than_eleven_pixels(stage):
    stage.come_into_view(SIZES["laptop"])
    for key in ("Home", "End"):
        stage.press(key)
        assert stage.explorer.root.evaluate(SMALLEST_TEXT) == []


def test_key_and_button_lead_to_the_whole_screen_and_escape_leads_back(show):
    views = show("scene_a", viewport={"width": 1000, "height": 900})
    height = views.root.bounding_box()["height"]
    assert height < 700
    views.press("e")
    leave = views.button("Leave full screen")
    expect(leave).to_be_visible()
    assert Look.of(views.root.evaluate(f"root => {{{MEASURE} return measure(root); }}")).fills(
        views
    )
    views.press("Escape")
    views.button("Full screen").click()
    expect(leave).to_be_visible()
    leave.click()
    expect(views.button("Full screen")).to_be_visible()
    assert views.root.bounding_box()["height"] == height
