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
#     lesson: "04"
#     minutes: 30
# ---

# %% [markdown]
# # 04 · What the tape watches
#
# *A tape cannot record everything. How does it know which gradients you will need, before you ask for them?*
#
# About 30 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## The default: trainable variables
#
# While your program runs, you have not called `gradient` yet. Still, the tape must decide for every operation whether
# to record it. It records the operation if **an input depends on something that is watched**.
#
# What is watched? Trainable variables, from the moment they are first read inside the block. Nothing else, unless you
# ask for it.

# %%
w = tf.Variable(2.0, name="w")
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    bias = x * x
    y = w * x + bias

print([v.name for v in tape.watched_variables()])
tf.show(tape, y)

# %% [markdown]
# `x * x` has a dashed outline: neither of its inputs is watched, so it ran **off the tape**. Open the part *Watched*
# of the picture. It lists what is watched and since which step, and what is not watched and why.
#
# It is not a fault that something is not watched. A program also uses data, constants and counters. A tape that kept
# them would fill the memory with values that no gradient needs.
#
# ## Watch a tensor yourself
#
# `tape.watch(x)` watches a plain tensor from this line on. Without it, there is no gradient with respect to `x`:

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 04.1: the price of a photo
#
# How does the brightness of a photo change with its *contrast*? `contrast` and `photo` are constants. Make the tape
# watch **only the contrast**: you do not need the gradient with respect to the photo, and photos are large.

# %%
@tf.exercise("04.1")
def price_of_a_photo():
    contrast = tf.constant(1.5)
    photo = tf.constant([0.25, 0.5, 1.0])
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        tape.watch(contrast)
        ### INSTEAD
        ...
        ### END SOLUTION
        bright = contrast * photo
        brightness = tf.reduce_sum(bright * bright)
    return tape, brightness, contrast

tf.check("04.1")

# %% [markdown]
# ## Frozen
#
# A variable made with `trainable=False` is not watched. Examples are the mean of a batch, a step counter, or the
# layers of a model that is already trained. The tape treats it like a constant.

# %%
scale = tf.Variable(2.0, trainable=False, name="scale")
w = tf.Variable(3.0, name="w")

with tf.GradientTape() as tape:
    y = scale * w * w

print(tape.gradient(y, [scale, w]))

# %% [markdown]
# ### Exercise 04.2: freeze the trunk
#
# A small model has a `trunk`, which is already trained, and a `head`, which is not. In this code the tape watches
# both. Change one line so that it watches only the head.

# %%
@tf.exercise("04.2")
def freeze_the_trunk():
    ### BEGIN SOLUTION
    trunk = tf.Variable(2.0, trainable=False, name="trunk")
    ### INSTEAD
    trunk = tf.Variable(2.0, name="trunk")
    ### END SOLUTION
    head = tf.Variable(5.0, name="head")
    with tf.GradientTape() as tape:
        feature = tf.square(trunk)
        y = head * feature
    ### BEGIN SOLUTION
    return tape, y, head
    ### INSTEAD
    return ...  # tape, y, head
    ### END SOLUTION

tf.check("04.2")

# %% [markdown]
# ## Watch only what you name
#
# Sometimes the default is too much: there are a thousand variables, and you want the gradient with respect to one.
# With `watch_accessed_variables=False` the tape watches nothing by itself.

# %%
a = tf.Variable(2.0, name="a")
b = tf.Variable(3.0, name="b")

with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(b)
    y = tf.square(a) + a * b

print(tape.gradient(y, [a, b]))
tf.show(tape, y)

# %% [markdown]
# ### Exercise 04.3: the middle one
#
# There are three layers, one after the other. Make the tape watch `second` and nothing else. First count the frames
# in your head: which of the three multiplications will be on the tape?

# %%
@tf.exercise("04.3")
def the_middle_one():
    first = tf.Variable(2.0, name="first")
    second = tf.Variable(3.0, name="second")
    third = tf.Variable(5.0, name="third")
    x = tf.constant(1.5)
    ### BEGIN SOLUTION
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(second)
        y = third * (second * (first * x))
    return tape, y, second
    ### INSTEAD
    with tf.GradientTape() as tape:
        y = third * (second * (first * x))
    return ...  # tape, y, second
    ### END SOLUTION

tf.check("04.3")

# %% [markdown]
# ## Only from this line on
#
# An operation that ran before `watch` is not on the tape, even if it ran inside the block. What does the tape return
# here, and what is the true derivative?

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    early = x * x
    tape.watch(x)
    late = 10.0 * x
    y = early + late

print(tape.gradient(y, x))
tf.explain(tape, y, x)

# %% [markdown]
# The derivative of x² + 10x at 3 is 16, but the tape returns 10. There is no `None` and no error, but the result is
# wrong: there are two paths from `y` to `x`, and the tape recorded only one. Such a **partial gradient** is the most
# dangerous mistake, because it looks correct.
#
# ### Exercise 04.4: too late
#
# This gradient arrives, but it is too small. Fix the code.

# %%
@tf.exercise("04.4")
def too_late():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        tape.watch(x)
        cube = x * x * x
        ### INSTEAD
        cube = x * x * x
        tape.watch(x)
        ### END SOLUTION
        y = cube + x
    ### BEGIN SOLUTION
    return tape, y, x
    ### INSTEAD
    return ...  # tape, y, x
    ### END SOLUTION

tf.check("04.4")

# %% [markdown]
# ## Every tape has its own list
#
# Tapes can be nested. Each tape has its own list of what it watches:

# %%
x = tf.constant(2.0)

with tf.GradientTape() as one:
    one.watch(x)
    with tf.GradientTape() as two:
        y = x * x

print("tape one:", one.gradient(y, x))
print("tape two:", two.gradient(y, x))

# %% [markdown]
# A tape can also watch the result of an operation. Then it records what depends on this result, but not how the
# result was computed.
#
# ### Exercise 04.5: two tapes
#
# Predict five gradients. Each is a number or `None`:
#
# ```python
# c = tf.constant(2.0)
# v = tf.Variable(2.0)
#
# with tf.GradientTape(persistent=True) as one:
#     one.watch(c)
#     square = c * c
#     with tf.GradientTape(persistent=True) as two:
#         two.watch(square)
#         y = square * square * v
# ```

# %%
@tf.exercise("04.5")
def two_tapes():
    ### BEGIN SOLUTION
    return {
        "one.gradient(y, c)": 64.0,
        "two.gradient(y, c)": None,
        "two.gradient(y, square)": 16.0,
        "one.gradient(y, v)": 16.0,
        "two.gradient(y, v)": 16.0,
    }
    ### INSTEAD
    return {
        "one.gradient(y, c)": ...,
        "two.gradient(y, c)": ...,
        "two.gradient(y, square)": ...,
        "one.gradient(y, v)": ...,
        "two.gradient(y, v)": ...,
    }
    ### END SOLUTION

tf.check("04.5")

# %% [markdown]
# Now compare. The picture shows the two tapes as two rows; each shows what the tape watches, and since when.

# %%
c = tf.constant(2.0)
v = tf.Variable(2.0, name="v")

with tf.GradientTape(persistent=True) as one:
    one.watch(c)
    square = c * c
    with tf.GradientTape(persistent=True) as two:
        two.watch(square)
        y = square * square * v

print([g.numpy() for g in one.gradient(y, [c, v])])
print(two.gradient(y, c), [g.numpy() for g in two.gradient(y, [square, v])])
tf.show(two, y, [square, v])

# %% [markdown]
# ## Summary
#
# - A tape records an operation if one of its inputs depends on something watched.
# - Trainable variables are watched by themselves, from their first use inside the block. Constants, data and frozen
#   variables are not.
# - `tape.watch(x)` works from that line on. If it comes too late, a part of the gradient is missing, without an
#   error.
# - `watch_accessed_variables=False` turns the default off. Each tape has its own list.
#
# Terms in the glossary: [watch](glossary.ipynb#watch), [partial gradient](glossary.ipynb#partial-gradient).
#
# Next, lesson 05: you ask for a gradient and get `None`.

# %%
tf.progress("04")
