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
# *A tensor can never be changed. How, then, does a model that is made of tensors learn anything?*
#
# About 30 minutes. Run a cell with **Shift+Enter**.

# %%
import tapelab as tf

# %% [markdown]
# ## A tensor is a value, like 7
#
# A tensor is an array of numbers that all have one kind. It has a **shape**, the lengths of its sides, and a
# **dtype**, the kind of its numbers.

# %%
temperatures = tf.constant([[12.5, -3.0, 7.5], [-8.0, 21.0, 0.5]])

print(temperatures)
print("shape:", temperatures.shape, " dtype:", temperatures.dtype)

# %% [markdown]
# Two rows of three numbers, each a `float32`. You can read any part of it, but you cannot write into it. Before
# you run the next cell: what do you expect?

# %%
try:
    temperatures[0, 1] = 0.0
except TypeError as error:
    print("TypeError:", error)

# %% [markdown]
# A tensor is as fixed as the number 7. You cannot change 7 into 8; you can add 1 to it and get *another* number.
# In the same way every operation takes tensors and makes a **new** one. The old one stays as it was:

# %%
warmer = temperatures + 1.0

print(warmer)
print(temperatures)

# %% [markdown]
# This looks like a nuisance, and it is what makes gradients possible. Whoever wants to go back over a
# computation needs to find every value as it was. A value that somebody has overwritten in the meantime
# would be lost, and the gradient would be silently wrong.
#
# ## Replace without writing
#
# So how does one set every temperature below zero to zero? One makes a new tensor in which that is so. There are
# two ways to say where:
#
# - by a **mask**: `tf.where(mask, a, b)` takes `a` where the mask is true, and `b` elsewhere;
# - by **places**: `tf.tensor_scatter_nd_update(tensor, places, values)` is a copy of the tensor with other values
#   at some places.

# %%
row = tf.constant([12.5, -3.0, 7.5, -8.0])

print(row < 0.0)
print(tf.where(row < 0.0, 100.0, row))
print(tf.tensor_scatter_nd_update(row, [[0], [2]], [1.0, 2.0]))

# %% [markdown]
# Mind the double brackets of the places: each place is a list of its own, because in a matrix a place
# has two numbers.
#
# ### Exercise 00.1: no more frost
#
# `frost` gets a vector of temperatures. Return two new vectors in a dict:
#
# - `"mask"`: every temperature below zero is 0 now, and the others are as they were;
# - `"first"`: the first temperature is 0 now, whatever it was, and the others are as they were.

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
# ## Pick what you want
#
# Slices work as everywhere in Python. `tf.gather` picks rows by their numbers, in any order, as often as you
# like, and `axis=1` makes it pick columns:

# %%
grid = tf.constant([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0], [20.0, 21.0, 22.0]])

print(grid[1:, :2])
print(tf.gather(grid, [2, 0, 2]))
print(tf.gather(grid, [1], axis=1))

# %% [markdown]
# Whoever comes from NumPy writes `grid[[2, 0], [1, 1]]` and expects the two numbers at (2, 1) and (0, 1). A tensor
# does not take such lists. The same question is asked with `tf.gather_nd`, which wants *places*, not one list for each
# axis: `tf.gather_nd(grid, [[2, 1], [0, 1]])`.

# %%
print(tf.gather_nd(grid, [[2, 1], [0, 1]]))

# %% [markdown]
# ### Exercise 00.2: who answered what?
#
# A classifier gives three scores to each of four pictures: `scores` has the shape (4, 3). `labels` tells the right
# class of each picture. Return a dict:
#
# - `"last two"`: the scores of the last two pictures, the last one first;
# - `"right"`: for each picture the score of its right class, four numbers.
#
# The second one is the step that most classification losses begin with.

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
# Something has to change, or nothing could learn. That something is a **variable**: a box that holds a tensor.
# The tensor in it still never changes; `assign` puts *another* tensor into the box.

# %%
counter = tf.Variable(1.0, name="counter")
print(counter.numpy())

counter.assign(5.0)
counter.assign_add(2.0)
print(counter.numpy())

# %% [markdown]
# Now the mistake that nearly everybody makes once. Two names for one box; then one line that looks as if it
# would count. What will the last two lines print?

# %%
counter = tf.Variable(1.0, name="counter")
box = counter

counter = counter + 1.0

print("counter:", type(counter).__name__, counter.numpy())
print("box:    ", type(box).__name__, box.numpy())

# %% [markdown]
# `counter + 1.0` reads the box and makes a new tensor. Then `counter = …` ties the **name** to that tensor. The box has
# not been touched: it still holds 1, and the name `counter` no longer leads to it. `counter += 1.0` does the same.
#
# `assign` changes what is in the box. `=` changes what a name means.
#
# A tape makes the difference visible. It follows variables. In the next picture the name `x` was given to a
# tensor before the tape came, so the tape has nothing to follow: press **→** and watch it pass by everything.

# %%
x = tf.Variable(2.0, name="x")
x = x + 1.0

with tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
tf.show(tape, y, x)

# %% [markdown]
# And here the box got a new value. The name still means the variable, and the gradient arrives:

# %%
x = tf.Variable(2.0, name="x")
x.assign_add(1.0)

with tf.GradientTape() as tape:
    y = x * x

tf.show(tape, y, x)

# %% [markdown]
# ### Exercise 00.3: three steps downhill
#
# A ball lies in a box called `position`. Three times it moves down by `speed`. The function returns
# what is in the box, and what the name `position` means. Mend it, so that both are the same.

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
# A tensor is a box without gaps: every row has the same length. Sentences, baskets and melodies have not.

# %%
try:
    tf.constant([[3.0, 1.0, 2.0], [5.0], [4.0, 4.0]])
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# A **ragged** tensor has rows of their own lengths. Most operations take it as it is:

# %%
baskets = tf.ragged.constant([[3.0, 1.0, 2.0], [5.0], [4.0, 4.0]])

print(baskets.shape)
print("lengths:", baskets.row_lengths())
print("sums:   ", tf.reduce_sum(baskets, axis=1))

# %% [markdown]
# `None` in the shape means: not the same everywhere.
#
# ### Exercise 00.4: baskets
#
# Each row of `rows` holds the prices in one basket. Return a dict:
#
# - `"means"`: the mean price of each basket;
# - `"mean"`: the mean price of all things that were bought, a single number. It is *not* the mean of the means.

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
# ## Kinds of numbers do not mix
#
# `tf.constant(3)` is an `int32`, `tf.constant(3.0)` a `float32`. Python would turn the one into the other without a
# word. A tensor does not, because it may be large, and a hidden copy in another dtype costs memory and digits.

# %%
total = tf.constant(7.0)
count = tf.constant(2)

try:
    total * count
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)

print(tf.cast(count, tf.float32))

# %% [markdown]
# A bare Python number has no dtype of its own and takes that of the tensor it meets: `total * 2` works.
#
# Mind the way back, too: whole numbers have no slope, so a gradient never passes an integer. A model that got
# `3` where it should have `3.0` learns nothing. Lesson 05 comes back to this.
#
# ### Exercise 00.5: votes
#
# `votes` holds whole numbers. Return the share that each candidate got, as `float32`; the shares sum to 1. As it
# stands, the shares come out in another dtype. Mend it.

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
# ## Two more kinds
#
# A tensor may hold **strings**, and it may be **sparse**: mostly zeros, of which only the others are kept.

# %%
words = tf.constant(["tape", "watch", "gradient"])
print(tf.strings.length(words))

few = tf.sparse.SparseTensor(indices=[[0, 3], [2, 1]], values=[4.0, 9.0], dense_shape=[3, 5])
print(tf.sparse.to_dense(few))

# %% [markdown]
# ## What to take along
#
# - A tensor never changes. Operations make new ones; `tf.where` and `tf.tensor_scatter_nd_update` make one in which
#   something is replaced.
# - `tf.gather` picks along an axis, `tf.gather_nd` picks places.
# - A variable is a box. `x.assign_add(1.0)` changes what is in it; `x = x + 1.0` leaves it and takes its name away.
# - Rows of different lengths make a ragged tensor.
# - dtypes do not mix by themselves: `tf.cast` is the way, and integers have no slope.
#
# Words to look up: [tensor](glossary.ipynb#tensor), [variable](glossary.ipynb#variable), [dtype](glossary.ipynb#dtype).
#
# Next, lesson 01: what a slope is, and three ways to find one.

# %%
tf.progress("00")
