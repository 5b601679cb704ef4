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
# *A tape cannot write everything down. How does it know what you will ask for, before you have asked?*
#
# About 30 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## It guesses: what can be trained
#
# While your program runs, nobody has called `gradient` yet. Still, the tape has to decide at every operation
# whether to write it down. It decides by one question: **does an input come from something that is watched?**
#
# And what is watched? Trainable variables, from the moment they are first read inside the block. Nothing else, unless you
# say so.

# %%
w = tf.Variable(2.0, name="w")
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    bias = x * x
    y = w * x + bias

print([v.name for v in tape.watched_variables()])
tf.show(tape, y)

# %% [markdown]
# `x * x` has a dashed outline: neither of its inputs is watched, so it ran **off the tape**. Open the part *Watched* of the
# picture: it names what is followed, since when, and what is not, and why.
#
# Not to watch is not a fault. Data, constants and counters run through a program, too, and a tape that kept them
# would fill the memory with values nobody asks for.
#
# ## Say it yourself
#
# `tape.watch(x)` follows a plain tensor from here on. Without it, the question about `x` has no answer:

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 04.1: the price of a photo
#
# How does the brightness of a photo react when one moves the *contrast*? `contrast` and `photo` are constants. Make the tape
# watch **the contrast alone**: nobody asks for the gradient of the photo, and photos are large.

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
# A variable made with `trainable=False` is not followed: the mean of a batch, a step counter, the layers of a model that
# somebody else has trained. The tape passes by it as if it were a constant.

# %%
scale = tf.Variable(2.0, trainable=False, name="scale")
w = tf.Variable(3.0, name="w")

with tf.GradientTape() as tape:
    y = scale * w * w

print(tape.gradient(y, [scale, w]))

# %% [markdown]
# ### Exercise 04.2: freeze the trunk
#
# A little model has a `trunk`, which is trained already, and a `head`, which is not. As it stands, the tape follows both.
# Change one line so that it follows the head alone.

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
# ## Watch only what I name
#
# Sometimes the guess is too generous: there are a thousand variables, and you want the gradient of one. With
# `watch_accessed_variables=False` the tape follows nothing by itself.

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
# Three layers, one after the other. Let the tape follow `second` and nothing else. Count the frames in your head first: which of
# the three multiplications will be on the tape?

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
# ## From here on
#
# "From here on" is meant literally. What ran before the watch is not on the tape, even if it ran inside the block. What
# does the tape say here, and what would mathematics say?

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
# The slope of x² + 10x at 3 is 16, and the tape says 10. It is not `None`, nothing stops, and it is wrong: of two
# ways from `y` back to `x` the tape has seen one. Such a **partial gradient** is the nastiest mistake of all, because it
# looks like an answer.
#
# ### Exercise 04.4: too late
#
# This gradient arrives, and is too small. Mend it.

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
# ## Every tape watches for itself
#
# Tapes can be nested, and each has a list of its own. What one tape watches, another does not know of:

# %%
x = tf.constant(2.0)

with tf.GradientTape() as one:
    one.watch(x)
    with tf.GradientTape() as two:
        y = x * x

print("tape one:", one.gradient(y, x))
print("tape two:", two.gradient(y, x))

# %% [markdown]
# A tape may also watch what has been computed: then it tells how things go on *from there*, and nothing about how they
# came about.
#
# ### Exercise 04.5: two tapes
#
# Predict five gradients, numbers or `None`:
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
# Now look. The two tapes are two lanes; each shows what it has watched, and since when.

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
# ## What to take along
#
# - A tape writes an operation down when one of its inputs comes from something watched.
# - Trainable variables are watched by themselves, from their first use inside the block. Constants, data and frozen
#   variables are not.
# - `tape.watch(x)` holds from that line on. Watch late, and a part of the gradient is lost without a word.
# - `watch_accessed_variables=False` turns the guess off. Each tape watches for itself.
#
# Words to look up: [watch](glossary.ipynb#watch), [partial gradient](glossary.ipynb#partial-gradient).
#
# Next, lesson 05: you ask, and the answer is `None`.

# %%
tf.progress("04")
