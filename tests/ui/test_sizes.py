"""The Explorer fits: in JupyterLab beside its file browser, on every usual screen, at every step.

What is visible is asserted from layout boxes. One server, one notebook for each scene; the page is
resized, the code is not run again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import CDPSession, Locator, expect

from tests.ui.explorer import Explorer
from tests.ui.models import LSTM, TRANSFORMER, TrainedModel
from tests.ui.notebook import Notebook
from tests.ui.views import Views


class Screen(NamedTuple):
    """A screen in its own pixels, and how many of them a pixel of the page takes."""

    width: int
    height: int
    scale: float = 1.0


SCREENS: Final = {
    "laptop": Screen(1366, 768),
    "small laptop": Screen(1280, 720),
    "large laptop": Screen(1440, 900),
    "desk": Screen(1920, 1080),
    "projector at 150 %": Screen(1920, 1080, scale=1.5),
}
FAR_APART: Final = ("laptop", "desk", "projector at 150 %")
BETWEEN: Final = ("small laptop", "large laptop")
"""Screens that differ little from the others, in the pixels of the page: for a thorough run."""

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
HELPERS: Final = (
    """\
import tapelab as tf
tf.random.set_seed(4)
w1 = tf.Variable(tf.random.normal([4, 8]) * 0.5, name="w1")
w2 = tf.Variable(tf.random.normal([8, 1]) * 0.5, name="w2")
x, y = tf.random.normal([16, 4]), tf.random.normal([16, 1])""",
    """\
def layer(x, w):
    return tf.tanh(x @ w)""",
    """\
def mse(prediction, target):
    error = prediction - target
    return tf.reduce_mean(error * error)""",
    """\
with tf.GradientTape() as tape:
    loss = mse(layer(layer(x, w1), w2), y)
tf.show(tape, loss)""",
)
FIT: Final = (
    """\
import tapelab as tf
tf.random.set_seed(5)
x = tf.random.normal([16, 4])
model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation="tanh", name="hidden"),
    tf.keras.layers.Dense(1, name="head"),
])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
history = model.fit(x, x[:, :1], batch_size=4, epochs=3, verbose=0)
tf.show(history)""",
)
LIVE: Final = TWO_PATHS.replace("tf.show(tape, z)", "tf.show(tape, z).widget()")


def _shown(model: TrainedModel) -> tuple[str, ...]:
    """The cells of a model, the last of which shows its tape."""
    first, *others, last = model.cells
    return (f"import tapelab as tf\n{first}", *others, f"{last}\ntf.show(tape)")


SCENES: Final = {
    "two paths": (TWO_PATHS,),
    "perceptron": (PERCEPTRON,),
    "convolution": (CONVOLUTION,),
    "attention": (ATTENTION,),
    "nested": (NESTED,),
    "transformer": _shown(TRANSFORMER),
    "LSTM": _shown(LSTM),
    "helpers": HELPERS,
    "fit": FIT,
    "live": (LIVE,),
}
MOST_STEPS: Final = 12
"""Of a long tape so many steps are looked at, from the first to the last."""

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
  const inside = [...root.querySelectorAll(':not(svg *)')].filter((one) => bars(one));
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
COUNT: Final = f"""root => {{{EVERY_STEP}
  const step = () => root.querySelector('.position').innerText;
  press(root, 'Home');
  for (let steps = 1; ; steps++) {{
    const last = step();
    press(root, 'ArrowRight');
    if (step() === last) return steps;
  }}
}}"""
WALK: Final = f"""(root, [steps, most]) => {{{EVERY_STEP}
  press(root, 'Home');
  const every = Math.ceil(steps / most);
  const seen = [];
  for (let at = 0; at < steps; at++) {{
    if (at) press(root, 'ArrowRight');
    if (at % every === 0 || at === steps - 1) seen.push(measure(root));
  }}
  return seen;
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

    @classmethod
    def around(cls, shown: Locator) -> Box:
        box = shown.bounding_box()
        assert box is not None
        return cls(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])

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
    """One scene in a notebook, and the cell that shows it."""

    notebook: Notebook
    session: CDPSession
    cell: int

    @property
    def outputs(self) -> Locator:
        return self.notebook.cells.nth(self.cell).locator(".jp-OutputArea")

    @property
    def explorer(self) -> Explorer:
        """The explorer in the frame of an output, or in the notebook itself."""
        frame = self.frame
        return Explorer.within(self.outputs if frame is None else frame.content_frame)

    @property
    def frame(self) -> Locator | None:
        frames = self.outputs.locator("iframe:visible")
        return frames.first if frames.count() else None

    def come_into_view(self, screen: Screen) -> None:
        """Take another screen, scroll to the output, and wait until it has followed."""
        self.take(screen)
        shown = (self.frame or self.explorer.root).element_handle()
        for _ in range(100):
            self.notebook.page.wait_for_function(STANDS_STILL, arg=shown)
            if self.is_seen_whole():
                return
        pytest.fail("The explorer is not seen whole.")

    def take(self, screen: Screen) -> None:
        """Show the page on another screen, as if the browser's zoom were the screen's scale."""
        width, height = round(screen.width / screen.scale), round(screen.height / screen.scale)
        self.notebook.page.set_viewport_size({"width": width, "height": height})
        size = {"width": width, "height": height, "deviceScaleFactor": screen.scale}
        self.session.send("Emulation.setDeviceMetricsOverride", {**size, "mobile": False})

    def is_seen_whole(self) -> bool:
        """Whether all of the explorer stands in the part of the notebook that can be seen."""
        panel = self.notebook.panel.locator(".jp-WindowedPanel-outer")
        outer, inner = Box.around(panel), Box.around(self.explorer.root)
        return outer.contains(inner)

    def count_steps(self) -> int:
        """How often one can step from the first step on; what is folded is one step."""
        return self.explorer.root.evaluate(COUNT)

    def check_steps(self, steps: int) -> None:
        """From the first step to the last, all that matters is seen at once."""
        measured = self.explorer.root.evaluate(WALK, [steps, MOST_STEPS])
        looks = [Look.of(each) for each in measured]
        assert len(looks) > 5
        assert any("formula" in look.boxes for look in looks)
        for look in looks:
            assert look.boxes.keys() >= {"mark", "title"}, look.step
            assert look is looks[0] or look.boxes.keys() >= {"node", "frame"}, look.step
            assert look.graph_share >= 0.45, look.step
            assert len(look.bars) + look.page <= 1, (look.step, look.bars)
            assert look.shows("node", within="graph"), look.step
            assert look.shows("mark", within="code"), look.step
            assert look.shows("title", within="about"), look.step
            assert look.shows("formula", within="about"), look.step
            assert look.shows("contribution", within="about"), look.step
            assert look.shows("frame", within="foot"), look.step
            assert look.boxes["root"].contains(look.boxes["foot"])

    def press(self, key: str) -> Look:
        return Look.of(self.explorer.root.evaluate(PRESS, key))


STANDS_STILL: Final = """shown => {
  shown.scrollIntoView({ block: 'end' });
  const { top, bottom, width } = shown.getBoundingClientRect();
  const now = `${innerWidth} ${innerHeight} ${top} ${bottom} ${width}`;
  const { stood, times } = shown.dataset;
  Object.assign(shown.dataset, { stood: now, times: stood === now ? Number(times) + 1 : 0 });
  return Number(shown.dataset.times) >= 5;
}"""
"""Scrolls to an output, and says whether it has stood where it does for some frames."""


class Scenes:
    """Scenes that have run in one notebook."""

    def __init__(self, notebook: Notebook, *names: str) -> None:
        notebook.run_all()
        self._notebook = notebook
        self._names = names
        self._session = notebook.page.context.new_cdp_session(notebook.page)

    def __getitem__(self, name: str) -> Stage:
        upto = self._names[: self._names.index(name) + 1]
        cell = sum(len(SCENES[each]) for each in upto) - 1
        return Stage(self._notebook, self._session, cell)


@pytest.fixture(scope="module")
def lab(open_notebooks) -> Scenes:
    """All scenes in JupyterLab, and of `fit` the tape of the last step open."""
    scenes = Scenes(open_notebooks(*chain.from_iterable(SCENES.values())), *SCENES)
    film = scenes["fit"].frame
    assert film is not None
    for key in ("End", "Enter"):
        film.content_frame.get_by_role("slider").press(key)
    return scenes


@pytest.fixture
def stage(lab, request) -> Stage:
    """The scene that a test asks for by its name."""
    return lab[request.param]


@pytest.mark.parametrize("stage", SCENES, indirect=True)
@pytest.mark.parametrize(
    "screens", [FAR_APART, pytest.param(BETWEEN, marks=pytest.mark.thorough)], ids=" and ".join
)
def test_at_every_step_what_matters_is_seen_at_once_on_every_screen(stage, screens):
    steps = 0
    for screen in screens:
        stage.come_into_view(SCREENS[screen])
        steps = steps or stage.count_steps()
        stage.check_steps(steps)


def test_in_notebook_7_too(open_notebooks):
    names = ("perceptron", "live")
    cells = chain.from_iterable(SCENES[name] for name in names)
    scenes = Scenes(open_notebooks(*cells, app="notebook"), *names)
    for name in names:
        for screen in ("laptop", "projector at 150 %"):
            scenes[name].come_into_view(SCREENS[screen])
            scenes[name].check_steps(scenes[name].count_steps())


KEYS: Final = [
    *("1", "2", "3", "4", "p", "w", "f", "F", "s", "b", "+", "-", "0"),
    *("Home", "End", "ArrowRight", "ArrowLeft", "ArrowRight"),
]


@pytest.mark.parametrize("stage", ["nested", "transformer", "helpers"], indirect=True)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_whatever_was_pressed_no_hole_is_left(stage, seed):
    stage.come_into_view(SCREENS["laptop"])
    first, pressed = stage.press("Home"), []
    for key in random.Random(seed).choices(KEYS, k=40):
        pressed.append(key)
        boxes = stage.press(key).boxes
        assert boxes["root"] == first.boxes["root"], pressed
        assert abs(boxes["bar"].bottom - boxes["body"].top) <= 1, pressed
        assert abs(boxes["body"].bottom - boxes["foot"].top) <= 1, pressed
        assert abs(boxes["about"].bottom - boxes["left"].bottom) <= 2, pressed
        assert boxes["pane"].bottom >= boxes["body"].bottom - 60, pressed


@pytest.mark.parametrize("stage", ["two paths", "attention", "transformer"], indirect=True)
def test_no_text_is_smaller_than_eleven_pixels_at_any_size_of_the_graph(stage):
    stage.come_into_view(SCREENS["laptop"])
    for key in ("Home", "End", *"1--------0++0"):
        stage.press(key)
        assert stage.explorer.root.evaluate(SMALLEST_TEXT) == [], key


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
