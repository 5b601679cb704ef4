"""The film of a training in an exported page: keys, mouse, and the tape of the step behind it."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

import tapelab as tf
from tapelab.recorder import training_log
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

SIZE = {"width": 1366, "height": 768}
THEMES = ("light", "dark")


def nan_history():
    """A training in which the gradient turns NaN in step 21, and stays so."""
    tf.random.set_seed(1)
    x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(16, 2)

    def root(t, p):
        return tf.reduce_mean(tf.sqrt(p * p + tf.cast(root.calls < 20, tf.float32)))

    class Counting(tf.keras.Sequential):
        def train_step(self, data):
            root.calls += 1
            if root.calls == 21:
                for each in self.trainable_variables:
                    each.assign(tf.zeros_like(each))
            return super().train_step(data)

    root.calls = 0
    hidden = [tf.keras.layers.Dense(3, activation="tanh", name=f"hidden_{i}") for i in range(3)]
    model = Counting([*hidden, tf.keras.layers.Dense(1, name="head")])
    model.compile(tf.keras.optimizers.SGD(0.01), root)
    return model.fit(x, x[:, :1], batch_size=4, epochs=10, shuffle=False, verbose=0)


@pytest.fixture(scope="module")
def history():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_log, "ALWAYS", 1_000)  # every step has a column, on every machine
        yield nan_history()


@pytest.fixture(params=THEMES)
def shown(request, browser, history, tmp_path, monkeypatch):
    """The page of the history, in a light and in a dark window."""
    from tapelab.widgets.training_picture import TrainingPicture

    file = TrainingPicture.of(history.gradients).export(tmp_path / "film.html")
    context = browser.new_context(offline=True, viewport=SIZE, color_scheme=request.param)
    page = context.new_page()
    console = Console(page)
    page.goto(file.as_uri())
    yield page
    assert console.complaints() == []
    context.close()


def film_of(page):
    return page.get_by_role("slider", name="Step and variable")


def test_keys_lead_to_the_first_nan_and_enter_opens_its_tape(shown):
    film = film_of(shown)
    film.focus()
    film.press("Home")
    expect(film).to_have_attribute("aria-valuetext", "step 1, epoch 1, hidden_0/kernel: 0.0225")
    film.press("]")
    expect(film).to_have_attribute("aria-valuetext", "step 21, epoch 6, hidden_0/kernel: NaN")
    expect(shown.get_by_text("Enter opens this tape.")).to_be_visible()
    film.press("Enter")
    explorer = Explorer.within(shown)
    expect(explorer.root).to_contain_text("The derivative of")
    expect(explorer.root).to_contain_text("Write instead")


def test_the_film_fits_a_laptop_and_breaks_no_rule_of_accessibility(shown):
    film = film_of(shown)
    box = film.bounding_box()
    assert box["width"] > 800
    assert box["y"] + box["height"] < SIZE["height"]
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(shown.get_by_role("region", name="Gradient norms by step")) == []


def test_the_mouse_shows_the_number_under_it_and_drags_through_the_steps(shown):
    film = film_of(shown)
    box = film.bounding_box()
    at = box["y"] + box["height"] - 3
    shown.mouse.move(box["x"] + 2, at)
    expect(shown.locator(".readout")).to_contain_text("step 1, epoch 1")
    shown.mouse.down()
    shown.mouse.move(box["x"] + box["width"] / 2, at)
    shown.mouse.up()
    expect(film).to_have_attribute("aria-valuenow", "21")
    expect(shown.locator(".readout")).to_contain_text("head/bias")


def test_a_step_without_its_tape_says_so(shown):
    film = film_of(shown)
    film.focus()
    film.press("Home")
    expect(shown.get_by_text("Only the norms of this step are kept.")).to_be_visible()
    film.press("Enter")
    expect(Explorer.within(shown).root).to_have_count(0)
