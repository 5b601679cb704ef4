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
#     lesson: "00"
#     minutes: 30
# ---

# %% [markdown]
# # 00 · Tensors and variables
#
# *A tensor never changes. So how can a model made of tensors learn?*
#
# About 30 minutes. Run a cell with **Shift+Enter**.

# %%
import tapelab as tf

# %% [markdown]
# ## A tensor is a value, like 7
#
# A tensor is an array of numbers of one type. It has a **shape**, its size along each axis, and a **dtype**, the type
# of its numbers.

# %%
temperatures = tf.constant([[12.5, -3.0, 7.5], [-8.0, 21.0, 0.5]])

print(temperatures)
print("shape:", temperatures.shape, " dtype:", temperatures.dtype)

# %% [markdown]
# These are two rows of three `float32` numbers. You can read any part of a tensor, but you cannot write into it.
# Before you run the next cell: what do you expect?

# %%
try:
    temperatures[0, 1] = 0.0
except TypeError as error:
    print("TypeError:", error)

# %% [markdown]
# A tensor is as fixed as the number 7. You cannot change 7 into 8; you can add 1 to it and get *another* number. In
# the same way every operation takes tensors and returns a **new** one. The old one stays the same:

# %%
warmer = temperatures + 1.0

print(warmer)
print(temperatures)

# %% [markdown]
# This looks like a nuisance, but it makes gradients possible. To compute a gradient, the [backward
# pass](glossary.ipynb#backward-pass) visits the operations again, from the last to the first, and needs every value
# as it was. If a value had been overwritten, the gradient would be wrong, without any error.
#
# ## Replace without writing
#
# How do you set every temperature below zero to zero? You make a new tensor. There are two ways to say which elements
# differ:
#
# - by a **mask**: `tf.where(mask, a, b)` takes `a` where the mask is true, and `b` elsewhere;
# - by **indices**: `tf.tensor_scatter_nd_update(tensor, indices, updates)` returns a copy of the tensor with new
#   values at these indices.

# %%
row = tf.constant([12.5, -3.0, 7.5, -8.0])

print(row < 0.0)
print(tf.where(row < 0.0, 100.0, row))
print(tf.tensor_scatter_nd_update(row, [[0], [2]], [1.0, 2.0]))

# %% [markdown]
# Note the double brackets: each index is a list of its own, because an index into a matrix has two numbers.
#
# ### Exercise 00.1: no more frost
#
# `frost` gets a vector of temperatures. Return two new vectors in a dict:
#
# - `"mask"`: every temperature below zero is now 0; the others are the same;
# - `"first"`: the first temperature is now 0, whatever it was; the others are the same.

# %%
@tf.exercise("00.1")
def frost(row):
    row = tf.constant(row)
    ### BEGIN SOLUTION
    return {
        "mask": tf.where(row < 0.0, 0.0, row),
        "first": tf.tensor_scatter_nd_update(row, [[0]], [0.0]),
    }
    ### INSTEAD
    return {"mask": ..., "first": ...}
    ### END SOLUTION

tf.check("00.1")

# %% [markdown]
# ## Select elements
#
# Slices work as in the rest of Python. `tf.gather` selects rows by their index, in any order and as often as you
# like. With `axis=1` it selects columns:

# %%
grid = tf.constant([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0], [20.0, 21.0, 22.0]])

print(grid[1:, :2])
print(tf.gather(grid, [2, 0, 2]))
print(tf.gather(grid, [1], axis=1))

# %% [markdown]
# In NumPy, `grid[[2, 0], [1, 1]]` gives the two numbers at (2, 1) and (0, 1). A tensor does not accept such lists.
# Use `tf.gather_nd`, which takes *one index for each element*, not one list for each axis: `tf.gather_nd(grid, [[2,
# 1], [0, 1]])`.

# %%
print(tf.gather_nd(grid, [[2, 1], [0, 1]]))

# %% [markdown]
# ### Exercise 00.2: who answered what?
#
# A classifier gives three scores to each of four images: `scores` has the shape (4, 3). `labels` holds the correct
# class of each image. Return a dict:
#
# - `"last two"`: the scores of the last two images, the last one first;
# - `"right"`: for each image the score of its correct class, four numbers.
#
# The second one is the first step of most classification losses.

# %%
@tf.exercise("00.2")
def who_answered_what(scores, labels):
    scores, labels = tf.constant(scores), tf.constant(labels)
    ### BEGIN SOLUTION
    return {
        "last two": tf.gather(scores, [3, 2]),
        "right": tf.gather(scores, labels, batch_dims=1),
    }
    ### INSTEAD
    return {"last two": ..., "right": ...}
    ### END SOLUTION

tf.check("00.2")

# %% [markdown]
# ## A variable is a box
#
# Something must change, or a model could not learn. This is the **variable**: a box that holds a tensor. The tensor
# in it still never changes; `assign` puts *another* tensor into the box.

# %%
counter = tf.Variable(1.0, name="counter")
print(counter.numpy())

counter.assign(5.0)
counter.assign_add(2.0)
print(counter.numpy())

# %% [markdown]
# Almost everyone makes the next mistake once. One box has two names; then a line seems to increase the counter. What
# will the last two lines print?

# %%
counter = tf.Variable(1.0, name="counter")
box = counter

counter = counter + 1.0

print("counter:", type(counter).__name__, counter.numpy())
print("box:    ", type(box).__name__, box.numpy())

# %% [markdown]
# `counter + 1.0` reads the box and makes a new tensor. Then `counter = …` binds the **name** to that tensor. The box
# is unchanged: it still holds 1, but the name `counter` no longer refers to it. `counter += 1.0` does the same.
#
# `assign` changes what is in the box. `=` changes what a name refers to.
#
# A tape makes the difference visible. It records the operations that depend on variables. In the next picture the
# name `x` was bound to a tensor before the tape started, so nothing depends on a variable: press **→** and see that
# no operation is on the tape.

# %%
x = tf.Variable(2.0, name="x")
x = x + 1.0

with tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
tf.show(tape, y, x)

# %% [markdown]
# Here the box got a new value. The name still refers to the variable, so the gradient arrives:

# %%
x = tf.Variable(2.0, name="x")
x.assign_add(1.0)

with tf.GradientTape() as tape:
    y = x * x

tf.show(tape, y, x)

# %% [markdown]
# ### Exercise 00.3: three steps downhill
#
# The variable `position` holds the height of a ball. Three times the ball moves down by `speed`. The function returns
# the variable, and what the name `position` refers to at the end. Fix it so that both are the same.

# %%
@tf.exercise("00.3")
def three_steps(start, speed):
    position = tf.Variable(start)
    box = position
    for _ in range(3):
        ### BEGIN SOLUTION
        position.assign_sub(speed)
        ### INSTEAD
        position = position - speed
        ### END SOLUTION
    return box, position

tf.check("00.3")

# %% [markdown]
# ## Rows of different lengths
#
# A tensor has no gaps: all its rows have the same length. Sentences, shopping baskets and melodies do not.

# %%
try:
    tf.constant([[3.0, 1.0, 2.0], [5.0], [4.0, 4.0]])
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# A **ragged** tensor has rows of different lengths. Most operations accept it:

# %%
baskets = tf.ragged.constant([[3.0, 1.0, 2.0], [5.0], [4.0, 4.0]])

print(baskets.shape)
print("lengths:", baskets.row_lengths())
print("sums:   ", tf.reduce_sum(baskets, axis=1))

# %% [markdown]
# `None` in the shape means that this size differs from row to row.
#
# ### Exercise 00.4: baskets
#
# Each row of `rows` holds the prices in one basket. Return a dict:
#
# - `"means"`: the mean price of each basket;
# - `"mean"`: the mean price of all items, a single number. It is *not* the mean of the means.

# %%
@tf.exercise("00.4")
def baskets_of(rows):
    ### BEGIN SOLUTION
    rows = tf.ragged.constant(rows)
    return {
        "means": tf.reduce_mean(rows, axis=1),
        "mean": tf.reduce_mean(rows.values),
    }
    ### INSTEAD
    rows = tf.constant(rows)
    return {"means": ..., "mean": ...}
    ### END SOLUTION

tf.check("00.4")

# %% [markdown]
# ## Dtypes do not mix
#
# `tf.constant(3)` is an `int32`, `tf.constant(3.0)` a `float32`. Python converts one into the other silently.
# TensorFlow does not: a tensor may be large, and a hidden copy in another dtype costs memory and precision.

# %%
total = tf.constant(7.0)
count = tf.constant(2)

try:
    total * count
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)

print(tf.cast(count, tf.float32))

# %% [markdown]
# A plain Python number has no dtype. It takes the dtype of the tensor: `total * 2` works.
#
# The dtype also matters for gradients: a function of integers has no derivative, so a gradient never passes through
# an integer. A model that got `3` in place of `3.0` learns nothing. Lesson 05 returns to this.
#
# ### Exercise 00.5: votes
#
# `votes` holds integers. Return the share of each candidate as `float32`; the shares sum to 1. The code as it is
# gives another dtype. Fix it.

# %%
@tf.exercise("00.5")
def shares(votes):
    votes = tf.constant(votes)
    ### BEGIN SOLUTION
    votes = tf.cast(votes, tf.float32)
    return votes / tf.reduce_sum(votes)
    ### INSTEAD
    return ...  # votes / tf.reduce_sum(votes) is a float64
    ### END SOLUTION

tf.check("00.5")

# %% [markdown]
# ## Two more kinds of tensor
#
# A tensor can hold **strings**. It can also be **sparse**: most of its elements are zero, and only the others are
# stored.

# %%
words = tf.constant(["tape", "watch", "gradient"])
print(tf.strings.length(words))

few = tf.sparse.SparseTensor(indices=[[0, 3], [2, 1]], values=[4.0, 9.0], dense_shape=[3, 5])
print(tf.sparse.to_dense(few))

# %% [markdown]
# ## Summary
#
# - A tensor never changes. Operations return new tensors; `tf.where` and `tf.tensor_scatter_nd_update` return one in
#   which some elements are replaced.
# - `tf.gather` selects along an axis, `tf.gather_nd` selects single elements.
# - A variable is a box. `x.assign_add(1.0)` changes what is in it; `x = x + 1.0` does not, it only binds the name to
#   a tensor.
# - Rows of different lengths make a ragged tensor.
# - dtypes do not mix: convert them with `tf.cast`. Functions of integers have no derivative.
#
# Terms in the glossary: [tensor](glossary.ipynb#tensor), [variable](glossary.ipynb#variable), [dtype](glossary.ipynb#dtype).
#
# Next, lesson 01: what a derivative is, and three ways to compute one.

# %%
tf.progress("00")
