"""Where no script runs and no frame is left, an output shows the whole graph as an image."""

from __future__ import annotations

import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect

from tests.ui.notebook import write_notebook

TAPE = """\
import tapelab as tf
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    z = x * x + tf.sin(x)
tf.show(tape, z)"""
FIT = """\
import numpy as np
model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = np.ones((8, 2), np.float32)
history = model.fit(data, data[:, :1], batch_size=2, verbose=0)
tf.show(history)"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A notebook as nbconvert runs it, and the page that it exports of that."""
    folder = tmp_path_factory.mktemp("static")
    write_notebook(folder / "static.ipynb", TAPE, FIT)
    for source, options in [
        ("static", ("--execute", "--to", "notebook", "--output", "run-notebook")),
        ("run-notebook", ("--to", "html", "--output", "run-html")),
    ]:
        command = [sys.executable, "-m", "nbconvert", *options, str(folder / f"{source}.ipynb")]
        subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def page(request, browser, exported):
    context = browser.new_context(java_script_enabled=request.param, offline=True)
    opened = context.new_page()
    opened.goto((exported / "run-html.html").as_uri())
    opened.has_scripts = request.param
    yield opened
    context.close()


def test_either_the_frame_or_the_image_is_shown(page):
    frames, images = page.locator("iframe"), page.locator("img.tapelab-static")
    expect(frames).to_have_count(2)
    expect(images).to_have_count(2)
    for frame, image in zip(frames.all(), images.all(), strict=True):
        expect(frame).to_be_visible(visible=page.has_scripts)
        expect(image).to_be_visible(visible=not page.has_scripts)
    if not page.has_scripts:
        for image in images.all():
            box = image.bounding_box()
            assert box["width"] > 200
            assert box["height"] > 100


def test_what_a_sanitiser_leaves_holds_the_image(browser, exported):
    """As on GitHub: frames, scripts and styles are taken out of an output."""
    notebook = nbformat.read(exported / "run-notebook.ipynb", as_version=4)
    output = notebook.cells[0].outputs[0]["data"]["text/html"]
    page = browser.new_page(java_script_enabled=False)
    page.set_content(output)
    page.locator("iframe, script, style").evaluate_all("all => all.forEach(each => each.remove())")
    image = page.locator("img")
    expect(image).to_be_visible()
    assert image.evaluate("each => each.complete && each.naturalWidth > 300")
    page.close()


def test_a_notebook_still_becomes_latex_without_a_converter_of_svg(exported):
    """nbconvert ends with an error if an output holds image/svg+xml and Inkscape is not there."""
    notebook = nbformat.read(exported / "run-notebook.ipynb", as_version=4)
    forms = {form for cell in notebook.cells for each in cell.outputs for form in each["data"]}
    assert forms == {"text/html", "text/plain"}
