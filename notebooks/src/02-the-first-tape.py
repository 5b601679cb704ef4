# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   tapelab:
#     lesson: "02"
#     minutes: 25
# ---

# %% [markdown]
# # 02 · The first tape
#
# *What must a program remember about a number, so that it can tell the number's slope afterwards?*
#
# About 25 minutes. Run a cell with **Shift+Enter**.

# %%
import tapelab as tf

# %% [markdown]
# ## A slope, by nudging
#
# At `x = 3` the square of `x` is 9. How fast does it grow there? Nudge `x` a little and look.

# %%
x = 3.0
nudge = 0.001
((x + nudge) ** 2 - x**2) / nudge

# %% [markdown]
# About 6, and a bit. The bit depends on the nudge, every slope costs one more run, and a model with a
# million weights would need a million of them. There is a better way: let the program *write down* what
# it does, one operation at a time, while it computes. Each operation is so small that its slope is known.
# That list is a **tape**.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x * x

tape.gradient(y, x)

# %% [markdown]
# Exactly 6, with no nudge. `tape.gradient(y, x)` asks: when `x` grows, how many times as fast does `y` grow?
#
# Now look at the tape. Click into the picture: it starts where `x` is read. Press **→** and the multiplication
# runs; the code shows which one. Keep pressing, and the gradient comes back.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x * x

tf.show(tape, y)

# %% [markdown]
# **Blue goes forward, orange comes back.** The first frame of the tape says that `x` is watched. Every other
# frame holds one operation: its name, its value and, once you are on the way back, its gradient. Click a frame to
# jump there.
#
# ### Exercise 02.1: x², anywhere
#
# Write a function that returns the slope of x² at any `value`, with a tape. Then run the cell: the verdict
# appears below it. You can change your answer and run it as often as you like.

# %%
@tf.exercise("02.1")
def slope_of_square(value):
    ### BEGIN SOLUTION
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("02.1")

# %% [markdown]
# Stuck? Open the next hint in the card, or run `tf.hint("02.1")`. Hints cost no points.
#
# ## The tape appears line by line
#
# A longer computation leaves more frames. Before you run the next cell, say how many operations you expect
# on the tape, and in which order.

# %%
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    product = x * y
    wave = tf.sin(x)
    z = product + wave

tf.show(tape, z)

# %% [markdown]
# Two frames say what is watched, then come three operations: ×, sin, +. That is all a tape is: **which operation
# ran, on what, with which result**, in order. Reading `x` is not an operation, and neither is giving a result a name.
#
# Not everything that runs is written down. The tape follows what can lead back to a variable; a computation
# with constants alone has no slope to tell, so it runs **off the tape**. In the next picture it has a dashed
# outline.

# %%
x = tf.Variable(3.0, name="x")
c = tf.constant(2.0)

with tf.GradientTape() as tape:
    scale = c * c
    y = scale * x

tf.show(tape, y)

# %% [markdown]
# ## Several sources
#
# `tape.gradient` takes more than one source. Ask with a list, and the answer is a list; ask with a dict, and
# it is a dict with the same keys:

# %%
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)

tape.gradient(z, [x, y])

# %% [markdown]
# ### Exercise 02.2: x·y, both slopes at once
#
# Return both slopes of `x * y` in a dict with the keys `"x"` and `"y"`, from one question to one tape.

# %%
@tf.exercise("02.2")
def both_slopes(x_value, y_value):
    x = tf.Variable(x_value, name="x")
    y = tf.Variable(y_value, name="y")
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        z = x * y
    return tape.gradient(z, {"x": x, "y": y})
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("02.2")

# %% [markdown]
# ## What the tape counts
#
# ### Exercise 02.3: how many records?
#
# Predict, before you run anything: how many operations does each program leave **on** the tape?
#
# ```python
# x = tf.Variable(3.0)
# c = tf.constant(5.0)
#
# # program a                        # program b
# with tf.GradientTape() as tape:    with tf.GradientTape() as tape:
#     y = x * x + 2.0 * x                y = c * c + x
#
# # program c
# with tf.GradientTape() as tape:
#     y = x
#     for _ in range(5):
#         y = y * x
# ```

# %%
@tf.exercise("02.3")
def records():
    ### BEGIN SOLUTION
    return {"a": 3, "b": 1, "c": 5}
    ### INSTEAD
    return {"a": ..., "b": ..., "c": ...}
    ### END SOLUTION

tf.check("02.3")

# %% [markdown]
# Now look. Here is program c: the loop is gone, and five rounds are five frames. A tape does not know the code,
# it knows what ran.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x
    for _ in range(5):
        y = y * x

tf.show(tape, y)

# %% [markdown]
# ## A tape answers once
#
# Many believe that `gradient()` can be called any number of times. Run this, and read the last line of the
# message.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x * x
    z = y * y

print(tape.gradient(z, x))

try:
    tape.gradient(y, x)
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown]
# A tape keeps every value that the way back may need. As soon as it has answered, it lets go of all of them:
# in a large model they fill most of the memory. Two ways out:
#
# - ask for everything **at once**: `tape.gradient(z, [x, y])` goes back one single time;
# - make the tape **persistent**: `tf.GradientTape(persistent=True)` keeps what it has, and answers as often as
#   you ask. Let go of it yourself, with `del tape`, when you are done.
#
# Mind the first one: several *sources* give several answers, but several *targets* are added up into one.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape(persistent=True) as tape:
    y = x * x
    z = y * y

print("z along x:     ", tape.gradient(z, x).numpy())
print("y along x:     ", tape.gradient(y, x).numpy())
print("[y, z] along x:", tape.gradient([y, z], x).numpy(), "is the sum")
del tape

# %% [markdown]
# ### Exercise 02.4: ask twice
#
# This function wants two answers from one tape, and stops with an error. Mend it; both answers are slopes
# along `x`.

# %%
@tf.exercise("02.4")
def ask_twice(value):
    x = tf.Variable(value, name="x")
    ### BEGIN SOLUTION
    with tf.GradientTape(persistent=True) as tape:
    ### INSTEAD
    with tf.GradientTape() as tape:
    ### END SOLUTION
        y = x * x
        z = y * y
    dy_dx = tape.gradient(y, x)
    dz_dx = tape.gradient(z, x)
    return dy_dx, dz_dx

tf.check("02.4")

# %% [markdown]
# ## What to take along
#
# - A tape is a list of the operations that ran inside its block: what ran, on what, with which result.
# - It follows variables by itself. What cannot lead back to them runs off the tape.
# - `tape.gradient(target, sources)` answers in the form in which you ask: one, a list, a dict.
# - It answers **once**. `persistent=True` lets it answer again, and keeps the memory until you let go.
#
# Words to look up: [tape](glossary.ipynb#tape), [record](glossary.ipynb#record), [target](glossary.ipynb#target), [source](glossary.ipynb#source), [persistent tape](glossary.ipynb#persistent-tape).
#
# Next, lesson 03: what exactly happens on the way back, one operation at a time.

# %%
tf.progress("02")
