"""The film in the Tape panel: to the step that went wrong, its reason, and the mended run."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.tape_panel import TapePanel, run_cell

IMPORT = "import tapelab as tf"
TRAINING = """\
x = tf.Variable([4.0, 1.0], name="x")
w = tf.Variable(2.0, name="w")
for step in range(20):
    with tf.GradientTape() as tape:
        loss = w * tf.reduce_sum(tf.sqrt(x))
    dx, dw = tape.gradient(loss, [x, w])
    x.assign(tf.maximum(x - 0.1 * dx, 0.0))"""


def test_the_film_leads_to_the_first_infinity_its_reason_and_the_mended_run(open_notebook):
    notebook = open_notebook(IMPORT, TRAINING)
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    film = panel.root.get_by_role("slider", name="Step and variable")
    expect(panel.root.get_by_role("button", name="NaN or infinite from step")).to_be_visible()
    assert violations(panel.root) == []

    film.focus()
    film.press("Home")
    expect(film).to_have_attribute("aria-valuetext", "step 1, x: 1.1180")
    film.press("]")
    expect(film).to_have_attribute("aria-valuetext", "step 9, x: +∞")
    film.press("Enter")
    expect(panel.explorer.root).to_contain_text("The derivative of")

    panel.button("Run with this line").click()
    expect(notebook.cells.nth(2)).to_contain_text("tf.sqrt(x + 1e-12)")
    expect(panel.root.get_by_role("heading", name="The run before")).to_be_visible()
    films = panel.root.locator(".film .cells")
    expect(films).to_have_count(2)
    expect(films.nth(0).locator(".c-nan")).to_have_count(0)
    expect(films.nth(1).locator(".c-nan")).to_have_count(1)


def test_a_fit_is_shown_layer_by_layer(open_notebook):
    fit = """\
import numpy as np
layers = [tf.keras.layers.Dense(3, activation="tanh") for _ in range(2)]
model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = np.ones((64, 2), np.float32)
history = model.fit(data, data[:, :1], batch_size=4, epochs=2, verbose=0)"""
    notebook = open_notebook(IMPORT, fit)
    panel = TapePanel.beside(notebook)
    panel.connect(notebook)
    run_cell(notebook, 1)
    names = panel.root.locator(".film ol").first.locator("li")
    expect(names).to_have_text(
        ["dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias", "dense_2/kernel",
         "dense_2/bias"]
    )  # fmt: skip
    expect(panel.root.get_by_role("slider", name="Step and variable")).to_have_attribute(
        "aria-valuemax", "32"
    )
