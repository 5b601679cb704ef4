"""The scenes of the gallery: each is a cell that runs, and what is shown of what it recorded.

Those up to l are the twins of the design's twelve scenes, in its order and under its letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Final

from tests.ui.models import SHOWN_FIRST

RUNNING: Final = "running"
EMPTY: Final = "empty"


@dataclass(frozen=True)
class View:
    """One picture: of the name that the cell left it under, at a step, in so many pixels.

    `cell` is its own, where it is not the one of its scene. `keys` are pressed once it stands
    there; `language` is the one it speaks. A `live` view is the Tape panel, running or empty; its
    step is one to look back at.
    """

    shows: str = "tape"
    cell: str = ""
    step: int | None = None
    width: int = 1100
    keys: str = ""
    why: bool = False
    language: str = "en"
    live: str = ""


@dataclass(frozen=True)
class Scene:
    """A letter, a title, a sentence, the cell, and what is shown of it."""

    letter: str
    title: str
    note: str
    cell: str
    views: tuple[View, ...] = (View(),)


TWO_PATHS: Final = """
    x = tf.Variable(3.0)
    y = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        z = x * y + tf.sin(x)
    dz_dx, dz_dy = tape.gradient(z, [x, y])
"""
DETOUR: Final = """
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        h = tf.square(x)
        m = np.mean(h)
        loss = tf.sqrt(m)
    print(tape.gradient(loss, x))    # None
"""
NETWORK: Final = """
    tf.random.set_seed(7)
    x = tf.random.normal([6, 4])
    t = tf.one_hot([0, 2, 2, 2, 0, 0], 3)
    W1 = tf.Variable(tf.random.normal([4, 5]))
    b1 = tf.Variable(tf.zeros([5]))
    W2 = tf.Variable(tf.random.normal([5, 3]))
    b2 = tf.Variable(tf.zeros([3]))
"""
TRAINING: Final = """
    tf.random.set_seed(7)
    x = tf.random.normal([6, 4])
    t = tf.one_hot([0, 2, 2, 1, 0, 1], 3)
    rate = tf.Variable(0.2)
    W = tf.Variable(tf.random.normal([4, 3]))
    with tf.GradientTape() as tape:
        w = tf.identity(W)
        for step in range(100):
            p = tf.nn.softmax(x @ w)
            w = w - rate * (tf.transpose(x) @ (p - t))
        q = tf.nn.softmax(x @ w)
        loss = -tf.reduce_mean(t * tf.math.log(q))
    dloss_drate, dloss_dW = tape.gradient(loss, [rate, W])
"""
ONE_STEP: Final = f"""{NETWORK}
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ W1 + b1)
        p = tf.nn.softmax(h @ W2 + b2)
        loss = -tf.reduce_mean(tf.reduce_sum(t * tf.math.log(p), axis=1))
    gradients = tape.gradient(loss, [W1, b1, W2, b2])
"""
NOTHING_YET: Final = """
    with tf.GradientTape() as tape:
        pass
"""
IN_THE_PANEL: Final = f"""{NETWORK}
    scale = tf.Variable(1.0)
    weights = [W1, b1, W2, b2, scale]
    for step in range(37):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ W1 + b1)
            p = tf.nn.softmax(h @ W2 + b2)
            loss = -tf.reduce_mean(tf.reduce_sum(t * tf.math.log(p), axis=1))
        for w, g in zip(weights, tape.gradient(loss, weights)):
            if g is not None:
                w.assign_sub(0.1 * g)
"""
VANISHING: Final = """
    tf.random.set_seed(1)
    h = tf.random.normal([8, 16])
    weights = [tf.Variable(tf.random.normal([16, 16], stddev=0.25)) for _ in range(20)]
    with tf.GradientTape() as tape:
        for w in weights:
            h = tf.sigmoid(h @ w)
        loss = tf.reduce_mean(h)
    gradients = tape.gradient(loss, weights)
"""
FIRST_NAN: Final = """
    p = tf.Variable([0.0, 0.5, 1.0])
    with tf.GradientTape() as tape:
        q = tf.where(p > 0.0, p * tf.math.log(p), 0.0)
        loss = tf.reduce_sum(q)
    dloss_dp = tape.gradient(loss, p)
"""
VERDICT: Final = """
    @tf.exercise("03.5")
    def backward(records, target):
        gradients = {target: 1.0}
        for output, inputs in reversed(records):
            for name, local in inputs:
                gradients[name] = gradients.get(output, 0.0) * local
        return gradients
    card = tf.check("03.5")
"""
SURPRISE: Final = """
    a = tf.Variable(-1.5)
    b = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = tf.nn.relu(a)
        z = h * b
    dz_da, dz_db = tape.gradient(z, [a, b])
"""
SLIDERS: Final = """
    def z(x, y):
        return x * y + tf.sin(x)

    sliders = tf.what_if(z, x=(0, 6, 3), y=(-1, 6, 4))
"""
STATES: Final = """
    x = tf.Variable([1.0, 0.0], name="x")
    v = tf.Variable(5.0, name="v", trainable=False)
    c = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = tf.math.log(x) * c
        n = np.sum(y)
        with tape.stop_recording():
            s = tf.square(x)
        z = tf.reduce_sum(y * tf.nn.relu(-x)) + v
    dz_dx, dz_dv = tape.gradient(z, [x, v])
"""
FOLDED: Final = """
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(1000):
            y = tf.sin(y) + x
    dy_dx = tape.gradient(y, x)
"""
ATTENTION: Final = """
    tf.random.set_seed(3)
    x = tf.random.normal([6, 4])
    Wq = tf.Variable(tf.random.normal([4, 4]))
    Wk = tf.Variable(tf.random.normal([4, 4]))
    with tf.GradientTape() as tape:
        q = x @ Wq
        k = x @ Wk
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 2.0)
        out = weights @ x
        loss = tf.reduce_mean(tf.square(out))
    gradients = tape.gradient(loss, [Wq, Wk])
"""
CONVOLUTION: Final = """
    tf.random.set_seed(3)
    image = tf.Variable(tf.random.normal([1, 8, 8, 1]))
    kernel = tf.Variable(tf.random.normal([3, 3, 1, 2]))
    with tf.GradientTape() as tape:
        y = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")
        loss = tf.reduce_mean(tf.nn.relu(y))
    gradients = tape.gradient(loss, [image, kernel])
"""
FIXED: Final = """
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as before:
        h = tf.square(x)
        m = np.mean(h)
        loss = tf.sqrt(m)
    print(before.gradient(loss, x))    # None
    with tf.GradientTape() as after:
        h = tf.square(x)
        m = tf.reduce_mean(h)
        loss = tf.sqrt(m)
    print(after.gradient(loss, x))
    comparison = tf.compare(before, after)
"""

DIVERGING: Final = """
    tf.random.set_seed(3)
    x = tf.random.normal([16, 4])
    t = tf.reduce_sum(x, axis=1, keepdims=True)
    names = ["hidden/kernel", "hidden/bias", "middle/kernel", "middle/bias", "out/kernel"]
    shapes = [[4, 6], [6], [6, 6], [6], [6, 1]]
    weights = [tf.Variable(tf.random.normal(s, stddev=0.5), name=n) for s, n in zip(shapes, names)]
    scale = tf.Variable(1.0, name="scale")
    for step in range(60):
        with tf.GradientTape() as tape:
            W1, b1, W2, b2, W3 = weights
            h = tf.nn.relu(x @ W1 + b1)
            h = tf.nn.relu(h @ W2 + b2)
            error = h @ W3 - t
            loss = tf.reduce_mean(error ** 4)
        for w, g in zip(weights, tape.gradient(loss, [*weights, scale])):
            if g is not None:
                w.assign_sub(0.003 * 1.15 ** step * g)
"""
FITTED: Final = """
    tf.random.set_seed(1)
    x = tf.random.normal([64, 8])
    t = tf.reduce_sum(x, axis=1, keepdims=True)
    layers = [tf.keras.layers.Dense(8, activation="sigmoid") for _ in range(14)]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(x, t, batch_size=16, epochs=5, shuffle=False, verbose=0)
"""

SCENES: Final = tuple(
    Scene(letter, title, note, dedent(cell).strip("\n"), views or (View(),))
    for letter, title, note, cell, *views in (
        (
            *("a", "Forward"),
            "The step highlights exactly the sub-expression that runs.",
            TWO_PATHS,
            View(step=4),
        ),
        (
            *("b", "Backward, where two paths meet"),
            "The same tape, rewound: contributions add up.",
            TWO_PATHS,
            View(step=10),
        ),
        (
            *("c", "Why is it None?"),
            "One sentence, the culprit, the cut, and the line to write instead.",
            DETOUR,
            View(why=True),
        ),
        (
            *("d", "A training loop"),
            "A hundred steps of training fold to one card: how good was the rate of learning?",
            TRAINING,
            View(step=222),
            View(step=99_999),
        ),
        (
            *("e", "Gradient flow"),
            "How large the gradient is along the tape: where it fades, where a NaN is born.",
            VANISHING,
            View(step=999, keys="2"),
        ),
        (
            *("f", "In a side panel, live"),
            "The panel of JupyterLab while the cell runs; looking back; before there is anything.",
            IN_THE_PANEL,
            View(width=356, live=RUNNING),
            View(width=356, live=RUNNING, step=8),
            View(width=356, live=EMPTY),
        ),
        (
            *("g", "Exercise verdict"),
            "What is right comes first; help comes in steps that the learner chooses.",
            VERDICT,
            View("card", width=860),
        ),
        (
            *("h", "Predict"),
            "The tape stops before the step that surprises. The learner commits, then sees.",
            SURPRISE,
            View(step=6, keys="p>>"),
        ),
        (
            *("i", "What if"),
            "The tangent is the gradient. Drag, and everything moves together.",
            SLIDERS,
            View("sliders"),
        ),
        (
            *("j", "States"),
            "NaN, cut, paused, not watched; a thousand iterations folded; a NaN in the flow.",
            STATES,
            View(step=999),
            View(cell=FOLDED, step=99_999),
        ),
        (
            *("k", "Right to left"),
            "The page mirrors. Code, numbers, graph and tape keep their direction.",
            DETOUR,
            View(why=True, language="he"),
        ),
        (
            *("l", "Narrow"),
            "The same Explorer at 720 and at 360 pixels.",
            TWO_PATHS,
            View(step=9, width=720),
            View(step=10, width=360),
        ),
        (
            *("m", "A model"),
            "Twelve layers first, their shapes between them; one of them opened in place.",
            SHOWN_FIRST.cell,
            View(step=999),
            View(step=60, keys="f"),
        ),
        (
            *("q", "Before and after"),
            "Two tapes side by side, aligned, with what differs marked.",
            FIXED,
            View("comparison"),
        ),
        (
            *("r", "Where a NaN is born"),
            "The branch that `where` threw away, in the flow of the gradient.",
            FIRST_NAN,
            View(step=999, keys="2"),
        ),
        (
            *("s", "Chinese"),
            "The words of the Explorer, and of ops, come from the catalogue of the language.",
            TWO_PATHS,
            View(step=9, language="zh-CN"),
        ),
        (
            *("t", "One step of training"),
            "Matrices are heat maps. In a narrow place: memory, and a tape with nothing on it yet.",
            ONE_STEP,
            View(step=999),
            View(step=999, width=360, keys="3"),
            View(cell=NOTHING_YET, width=360),
        ),
        (
            *("o", "The rules of tensors"),
            "An entry, and all that it is made of: a product and its gradient, a window, softmax.",
            ATTENTION,
            View(step=2, keys="5"),
            View(step=20, keys="5"),
            View(step=15, keys="5"),
            View(cell=CONVOLUTION, step=99, keys="5"),
        ),
        (
            *("n", "The film of a training"),
            "Gradient norms by step: in the panel until one is NaN, and of a whole `fit`.",
            DIVERGING,
            View(width=356, live=RUNNING),
            View("history", cell=FITTED, width=1100),
        ),
    )
)
