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
# *What must a program remember while it computes, so that it can give you derivatives afterwards?*
#
# About 25 minutes. Run a cell with **Shift+Enter**.

# %%
import tapelab as tf

# %% [markdown]
# ## A derivative from a small step
#
# At `x = 3` the square of `x` is 9. How fast does it grow there? This number is the
# [derivative](glossary.ipynb#derivative) of `x`² at 3. Change `x` by a small step and see.

# %%
x = 3.0
nudge = 0.001
((x + nudge) ** 2 - x**2) / nudge

# %% [markdown]
# This is about 6, with an error that depends on the step. Every derivative costs one more run, so a model with a
# million weights would need a million runs. There is a better way: let the program *record* what it does, one
# operation at a time, while it computes. The derivative of each single operation is known. The list of operations is
# a **tape**.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x * x

tape.gradient(y, x)

# %% [markdown]
# Exactly 6, without a step. `tape.gradient(y, x)` computes the gradient of `y` *with respect to* `x`: how fast `y`
# grows when `x` grows.
#
# Now look at the tape. Click into the picture: it starts where `x` is read. Press **→** to run the multiplication;
# the code shows which one it is. Keep pressing: after the last operation the [backward
# pass](glossary.ipynb#backward-pass) begins, which computes the gradient.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x * x

tf.show(tape, y)

# %% [markdown]
# **Blue is the forward pass, orange the backward pass.** The first frame of the tape says that `x` is watched. Every
# other frame shows one operation: its name, its value and, during the backward pass, its gradient. Click a frame to
# jump there.
#
# ### Exercise 02.1: x², anywhere
#
# Write a function that uses a tape to return the derivative of x² at any `value`. Then run the cell: the verdict
# appears below it. You can change your answer and run it again as often as you like.

# %%
@tf.exercise("02.1")
def derivative_of_square(value):
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
# ## The tape grows line by line
#
# A longer computation gives more frames. Before you run the next cell, say how many operations you expect on the
# tape, and in which order.

# %%
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    product = x * y
    wave = tf.sin(x)
    z = product + wave

tf.show(tape, z)

# %% [markdown]
# Two frames say what is watched, then three operations follow: ×, sin, +. That is all a tape contains: **which
# operation ran, on which inputs, with which result**, in order. Reading `x` is not an operation, and neither is
# giving a result a name.
#
# Not every operation is recorded. The tape records an operation if one of its inputs depends on a variable. A
# computation with constants only needs no gradient, so it runs **off the tape**. In the next picture it has a dashed
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
# `tape.gradient` takes more than one source. Pass a list to get a list of gradients; pass a dict to get a dict with
# the same keys:

# %%
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)

tape.gradient(z, [x, y])

# %% [markdown]
# ### Exercise 02.2: x·y, both derivatives at once
#
# Return both derivatives of `x * y` in a dict with the keys `"x"` and `"y"`. Use one tape and one call of `gradient`.

# %%
@tf.exercise("02.2")
def both_derivatives(x_value, y_value):
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
# ## What is on the tape
#
# ### Exercise 02.3: how many records?
#
# Before you run anything, predict how many operations each program leaves **on** the tape.
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
# Here is program c. There is no loop on the tape: five iterations are five frames. A tape does not contain the code,
# only what ran.

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x
    for _ in range(5):
        y = y * x

tf.show(tape, y)

# %% [markdown]
# ## A tape can be used once
#
# You might expect that you can call `gradient()` as often as you like. Run this, and read the last line of the
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
# A tape keeps every value that the backward pass may need. After the first gradient it releases all of them, because
# in a large model they fill most of the memory. There are two solutions:
#
# - ask for all gradients **at once**: `tape.gradient(z, [x, y])` makes one backward pass;
# - make the tape **persistent**: `tf.GradientTape(persistent=True)` keeps its values, and you can call `gradient` as
#   often as you like. Release the memory with `del tape` when you are done.
#
# Be careful with the first one: several *sources* give several gradients, but several *targets* are added up into
# one.

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
# This function needs two gradients from one tape, and raises an error. Fix it. Both gradients are with respect to
# `x`.

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
# ## Summary
#
# - A tape is a list of the operations that ran inside its block: which one, on which inputs, with which result.
# - It watches variables by itself. An operation that does not depend on them runs off the tape.
# - `tape.gradient(target, sources)` returns gradients in the structure of the sources: one, a list, a dict.
# - It can be used **once**. `persistent=True` allows more calls, and keeps the memory until you delete the tape.
#
# Terms in the glossary: [tape](glossary.ipynb#tape), [record](glossary.ipynb#record), [target](glossary.ipynb#target), [source](glossary.ipynb#source), [persistent tape](glossary.ipynb#persistent-tape).
#
# Next, lesson 03: what exactly happens in the backward pass, one operation at a time.

# %%
tf.progress("02")
