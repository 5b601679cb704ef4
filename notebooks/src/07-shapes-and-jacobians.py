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
#     lesson: "07"
#     minutes: 40
# ---

# %% [markdown]
# # 07 · Shapes, broadcasting, Jacobians
#
# *You ask how a vector reacts to a vector, and get back a single vector. What has happened to all the other numbers?*
#
# About 40 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## A gradient is as large as its source
#
# Three numbers go in, three come out: `y` is the running sum of `x`. That makes nine slopes, one for each pair. The tape
# answers with three. Which three?

# %%
x = tf.Variable([1.0, 2.0, 3.0], name="x")

with tf.GradientTape() as tape:
    y = tf.cumsum(x)

print(y.numpy())
print(tape.gradient(y, x).numpy())

# %% [markdown]
# Here are all nine, as a table. Row i tells how `y[i]` reacts, column j to which `x[j]`:

# %%
with tf.GradientTape() as tape:
    y = tf.cumsum(x)

slopes = tape.jacobian(y, x)
print(slopes.numpy())

plt.imshow(slopes, cmap="Blues")
plt.xticks(range(3))
plt.yticks(range(3))
plt.xlabel("to x[j]")
plt.ylabel("reacts y[i]")
plt.title("The Jacobian of a running sum")
plt.show()

# %% [markdown]
# This table is the **Jacobian**. And `[3, 2, 1]` are the sums of its *columns*. `tape.gradient(y, x)` has answered another
# question than the one you meant: *how does the **sum** of all of `y` react to each `x[j]`?*
#
# That is no whim. A tape starts its way back with an upstream of ones, one for each number of the target; where there are many
# numbers, their contributions add. For a loss, which is one number, it makes no difference.
#
# ### Exercise 07.1: sums of columns
#
# `a` and `b` are vectors. Predict what `tape.gradient(y, a)` is:
#
# ```python
# a = tf.Variable([1.0, 2.0])
# b = tf.constant([10.0, 20.0, 30.0])
#
# # "scaled"      y = 5.0 * a
# # "table"       y = a[:, tf.newaxis] * b      (2 rows, 3 columns)
# # "normed"      y = a / tf.reduce_sum(a)      (what is the sum of y?)
# ```
#
# Answer with a list of two numbers each.

# %%
@tf.exercise("07.1")
def sums_of_columns():
    ### BEGIN SOLUTION
    return {"scaled": [5.0, 5.0], "table": [60.0, 60.0], "normed": [0.0, 0.0]}
    ### INSTEAD
    return {"scaled": ..., "table": ..., "normed": ...}
    ### END SOLUTION

tf.check("07.1")

# %% [markdown]
# ## What was copied comes back summed
#
# In `a[:, tf.newaxis] * b` each number of `a` meets three numbers of `b`. **Broadcasting** copies it three times. On the way
# back, three contributions arrive at the one number that was copied, and as always they add. Step through it and watch the shapes:

# %%
rows = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="rows")
bias = tf.Variable([0.1, 0.2, 0.3], name="bias")

with tf.GradientTape() as tape:
    shifted = rows + bias
    y = tf.reduce_sum(shifted * shifted)

tf.show(tape, y)

# %% [markdown]
# At the `+` an upstream of shape (2, 3) arrives. To `rows` it goes as it is. `bias` has the shape (3,): its gradient must have that
# shape, too, and so the two rows are added.
#
# ### Exercise 07.2: the rule of a bias
#
# Write the rule by hand. `upstream` has the shape (rows, columns). Return a dict: what arrives at a `"bias"` of shape (columns,), at a
# `"column"` of shape (rows, 1), and at a `"scalar"` of shape ().

# %%
@tf.exercise("07.2")
def rule_of_a_bias(upstream):
    upstream = tf.constant(upstream)
    ### BEGIN SOLUTION
    return {
        "bias": tf.reduce_sum(upstream, axis=0),
        "column": tf.reduce_sum(upstream, axis=1, keepdims=True),
        "scalar": tf.reduce_sum(upstream),
    }
    ### INSTEAD
    return {"bias": ..., "column": ..., "scalar": ...}
    ### END SOLUTION

tf.check("07.2")

# %% [markdown]
# ## The trap: (N,) against (N, 1)
#
# Broadcasting never asks. Three predictions in a column, three labels in a row; what is their difference?

# %%
predictions = tf.constant([[1.5], [3.0], [4.5]])
labels = tf.constant([2.0, 4.0, 6.0])

print((predictions - labels).shape)
print((predictions - labels).numpy())

# %% [markdown]
# *Every* prediction was compared with *every* label. The loss is a number, the gradient arrives, the model trains, and it learns
# to say the mean of all labels. No error, no warning from the engine; `tf.explain` sees it in the shapes.
#
# ### Exercise 07.3: three and not nine
#
# Mend this loss, so that each prediction is compared with its own label.

# %%
@tf.exercise("07.3")
def three_and_not_nine():
    w = tf.Variable(1.5, name="w")
    x = tf.constant([[1.0], [2.0], [3.0]])
    label = tf.constant([2.0, 4.0, 6.0])
    with tf.GradientTape() as tape:
        p = w * x
        ### BEGIN SOLUTION
        loss = tf.reduce_mean(tf.square(p[:, 0] - label))
        ### INSTEAD
        loss = tf.reduce_mean(tf.square(p - label))
        ### END SOLUTION
    ### BEGIN SOLUTION
    return tape, loss, w
    ### INSTEAD
    return ...  # tape, loss, w
    ### END SOLUTION

tf.check("07.3")

# %% [markdown]
# ## The rule of a matrix product
#
# No rule is used more often than this one, and it can be found by looking at shapes alone. `C = A @ B` with A of shape (n, k)
# and B of shape (k, m). The upstream has the shape of C, (n, m). What arrives at A must have the shape (n, k): there
# is only one way to get it out of (n, m) and (k, m) by a product.
#
# ### Exercise 07.4: find it by its shape
#
# Return what arrives at A and what arrives at B. `tf.transpose` turns a matrix over.

# %%
@tf.exercise("07.4")
def rule_of_a_product(upstream, a, b):
    upstream, a, b = tf.constant(upstream), tf.constant(a), tf.constant(b)
    ### BEGIN SOLUTION
    return {"A": upstream @ tf.transpose(b), "B": tf.transpose(a) @ upstream}
    ### INSTEAD
    return {"A": ..., "B": ...}
    ### END SOLUTION

tf.check("07.4")

# %% [markdown]
# ## The whole table, when you need it
#
# `tape.jacobian(y, x)` has a row for every number of `y`. Its shape is the shape of `y`, followed by the shape of `x`. With a
# batch, that is a lot of nothing: four examples, each with three scores from three numbers.

# %%
batch = tf.Variable([[1.0, 2.0, 0.5], [0.1, 0.2, 0.3], [2.0, -1.0, 1.0], [0.0, 0.0, 3.0]], name="batch")

with tf.GradientTape(persistent=True) as tape:
    scores = tf.nn.softmax(batch)

whole = tape.jacobian(scores, batch)
print("jacobian:      ", whole.shape)
print("batch_jacobian:", tape.batch_jacobian(scores, batch).shape)

plt.imshow(tf.reshape(whole, [12, 12]), cmap="RdBu", vmin=-0.25, vmax=0.25)
plt.title("Four examples: who reacts to whom")
plt.colorbar()
plt.show()

# %% [markdown]
# Only the four blocks along the diagonal are not zero: no example reacts to another one. `tape.batch_jacobian` computes these
# blocks alone, in one sweep for all examples.
#
# ### Exercise 07.5: count the slopes
#
# 32 pictures of 784 numbers go into a layer with 10 outputs; each picture has its own. How many numbers does each of these
# hold? Answer with `"gradient"` of the sum of all outputs with respect to the pictures, `"jacobian"`, `"batch_jacobian"`, and `"zeros"`: how
# many numbers of the Jacobian must be zero?

# %%
@tf.exercise("07.5")
def count_the_slopes():
    ### BEGIN SOLUTION
    return {
        "gradient": 32 * 784,
        "jacobian": 32 * 10 * 32 * 784,
        "batch_jacobian": 32 * 10 * 784,
        "zeros": 32 * 10 * 31 * 784,
    }
    ### INSTEAD
    return {"gradient": ..., "jacobian": ..., "batch_jacobian": ..., "zeros": ...}
    ### END SOLUTION

tf.check("07.5")

# %% [markdown]
# ## What to take along
#
# - `tape.gradient` answers for the **sum** of the target. It is as large as its source.
# - The Jacobian has all slopes: a row for each number of the target, a column for each of the source.
# - What broadcasting copies on the way forward is summed on the way back.
# - (N,) against (N, 1) is (N, N). Look at the shape of what you subtract.
# - For a batch, `batch_jacobian` leaves out what is zero anyway.
#
# Words to look up: [gradient](glossary.ipynb#gradient), [Jacobian](glossary.ipynb#Jacobian), [broadcasting](glossary.ipynb#broadcasting).
#
# Next, lesson 08: what becomes of `if` and `for`.

# %%
tf.progress("07")
