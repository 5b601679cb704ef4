"""Questions about the next step: asked, answered by keyboard, judged, and kept."""

from __future__ import annotations

from playwright.sync_api import expect

from tapelab.exercises import predictions
from tests.ui.explorer import Explorer

WIDGET = """\
import tapelab as tf
x = tf.Variable(3.0, name="x"); y = tf.Variable(4.0, name="y")
with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)
widget = tf.show(tape, z, step=6).widget()
widget"""


def test_a_question_comes_into_view_where_the_page_is_scrolled_past_it(show):
    views = show("loops", viewport={"width": 760, "height": 360})
    views.press("b")
    views.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert views.page.evaluate("scrollY") > 0
    views.press("p")
    expect(views.field).to_be_focused()
    expect(views.field).to_be_in_viewport(ratio=1)


def test_a_question_is_answered_by_keyboard_and_the_next_key_goes_on(show):
    views = show("scene_a")
    views.press("b", "p")
    expect(views.field).to_be_focused()
    views.page.keyboard.type("1")
    views.press("Enter")
    assert views.step == 7
    expect(views.root.get_by_role("status")).to_have_text("Right: 1.0000.")
    views.press("ArrowRight")
    expect(views.field).to_be_focused()
    assert views.step == 7
    views.page.keyboard.type("None")
    views.press("Enter")
    expect(views.root.get_by_role("status")).to_contain_text("You said None. It is 1.0000.")
    expect(views.root.get_by_role("toolbar", name="This tape")).to_contain_text("1 of 2")


def test_what_takes_the_focus_in_a_low_place_is_not_left_behind_the_buttons(show):
    views = show("loops", viewport={"width": 760, "height": 360})
    views.press("b", "p")
    views.field.evaluate("field => { field.blur(); scrollTo(0, 0); field.focus() }")
    foot = views.root.get_by_role("toolbar", name="Steps").bounding_box()
    field = views.field.bounding_box()
    assert foot["y"] < 545
    assert field["y"] + field["height"] <= foot["y"]


def test_the_question_about_a_matrix_is_its_shape(show):
    views = show("matmul")
    views.press("b", "p")
    field = views.root.get_by_role("textbox", name="What shape has the gradient")
    expect(field).to_be_focused()
    views.page.keyboard.type("2 3")
    views.press("Enter")
    expect(views.root.get_by_role("status")).to_have_text("Right: 2×3.")


def test_on_the_way_forward_the_next_op_is_chosen_and_an_answer_taken_back(show):
    views = show("scene_a")
    views.press("Home", "p")
    assert views.step == 2
    expect(views.root.get_by_role("group", name="Which op runs next?")).to_be_visible()
    expect(views.root.get_by_role("radio").first).to_be_focused()
    views.press("Space", "Enter")
    assert views.step == 3
    expect(views.root.get_by_role("status")).to_contain_text("It is × x * y.")
    views.press("u")
    assert views.step == 2
    expect(views.root.get_by_role("toolbar", name="This tape")).not_to_contain_text(" of ")


def test_a_widget_gets_its_later_views_from_the_kernel_and_sends_it_predictions(open_notebook):
    notebook = open_notebook(WIDGET, "print([each['right'] for each in widget.predictions])")
    notebook.run_all()
    explorer = Explorer.within(notebook.cells.nth(0))
    explorer.stands_at(6, of=11)
    explorer.button("Flow").click()
    expect(explorer.root.locator(".plot")).to_be_visible()
    explorer.button("Predict").click()
    field = explorer.root.get_by_role("textbox", name="What arrives at")
    field.fill("1")
    field.press("Enter")
    explorer.stands_at(7, of=11)
    expect(explorer.root.get_by_role("status")).to_contain_text("Right: 1.0000.")
    notebook.cells.nth(1).locator(".cm-content").click()
    notebook.page.keyboard.press("Shift+Enter")
    expect(notebook.output(1)).to_have_text("[True]")
    expect(notebook.output(0)).to_contain_text("Predicted 1 of 1 step.")
    notebook.save()
    assert [each.right for each in predictions(notebook.file)] == [True]
