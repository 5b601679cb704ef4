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
# *You differentiate a vector with respect to a vector, and get only one vector. Where are all the other derivatives?*
#
# About 40 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## A gradient is as large as its source
#
# `x` has three elements, and so has `y`, its running sum. There are nine derivatives, one for each pair. The tape
# returns three numbers. Which ones?

# %%
x = tf.Variable([1.0, 2.0, 3.0], name="x")

with tf.GradientTape() as tape:
    y = tf.cumsum(x)

print(y.numpy())
print(tape.gradient(y, x).numpy())

# %% [markdown]
# Here are all nine, as a table. Row i has the derivatives of `y[i]`, column j those with respect to `x[j]`:

# %%
with tf.GradientTape() as tape:
    y = tf.cumsum(x)

derivatives = tape.jacobian(y, x)
print(derivatives.numpy())

plt.imshow(derivatives, cmap="Blues")
plt.xticks(range(3))
plt.yticks(range(3))
plt.xlabel("to x[j]")
plt.ylabel("reacts y[i]")
plt.title("The Jacobian of a running sum")
plt.show()

# %% [markdown]
# This table is the **Jacobian**. `[3, 2, 1]` are the sums of its *columns*. `tape.gradient(y, x)` is the gradient of
# the **sum** of `y` with respect to each `x[j]`.
#
# There is a reason. The backward pass starts with an upstream gradient of ones, one for each element of the target.
# If there are several elements, their contributions are added. For a loss, which is one number, it makes no
# difference.
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
# ## The gradients of copies are added
#
# In `a[:, tf.newaxis] * b` each element of `a` is multiplied by three elements of `b`. **Broadcasting** uses it three
# times, as if it were copied. So in the backward pass three contributions arrive at this element, and they are added.
# Step through it and watch the shapes:

# %%
rows = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="rows")
bias = tf.Variable([0.1, 0.2, 0.3], name="bias")

with tf.GradientTape() as tape:
    shifted = rows + bias
    y = tf.reduce_sum(shifted * shifted)

tf.show(tape, y)

# %% [markdown]
# At the `+` an upstream gradient of shape (2, 3) arrives. `rows` gets it unchanged. `bias` has the shape (3,), and so
# has its gradient: the two rows are added.
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
# Broadcasting gives no warning. There are three predictions in a column and three labels in a row. What is their
# difference?

# %%
predictions = tf.constant([[1.5], [3.0], [4.5]])
labels = tf.constant([2.0, 4.0, 6.0])

print((predictions - labels).shape)
print((predictions - labels).numpy())

# %% [markdown]
# *Every* prediction was compared with *every* label. The loss is a number and the gradient arrives, so the model
# trains. But it learns to predict the mean of all labels. There is no error and no warning. `tf.explain` finds it by
# the shapes.
#
# ### Exercise 07.3: three, not nine
#
# Fix this loss so that each prediction is compared with its own label.

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
# This is the most important rule in deep learning, and you can find it from the shapes alone. In `C = A @ B`, A has
# the shape (n, k) and B the shape (k, m). The upstream gradient has the shape of C, (n, m). The gradient of A must
# have the shape (n, k). There is only one matrix product of (n, m) and (k, m) that has this shape.
#
# ### Exercise 07.4: find it by its shape
#
# Return the gradient of A and the gradient of B. `tf.transpose` transposes a matrix.

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
# `tape.jacobian(y, x)` has a row for every element of `y`. Its shape is the shape of `y`, followed by the shape of
# `x`. For a batch, most of it is zero. Here are four examples, each with three scores from three numbers.

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
# Only the four blocks on the diagonal are not zero, because no example depends on another one. `tape.batch_jacobian`
# computes only these blocks, for all examples at once.
#
# ### Exercise 07.5: count the derivatives
#
# 32 images of 784 numbers go into a layer with 10 outputs for each image. How many numbers are in each of these?
# Answer with `"gradient"` of the sum of all outputs with respect to the images, `"jacobian"`, `"batch_jacobian"`, and
# `"zeros"`: how many numbers of the Jacobian must be zero?

# %%
@tf.exercise("07.5")
def count_the_derivatives():
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
# ## Summary
#
# - `tape.gradient` returns the gradient of the **sum** of the target. It has the shape of the source.
# - The Jacobian has all derivatives: a row for each element of the target, a column for each element of the source.
# - What broadcasting copies in the forward pass is added up in the backward pass.
# - (N,) minus (N, 1) is (N, N). Check the shapes of what you subtract.
# - For a batch, `batch_jacobian` leaves out the blocks that are zero.
#
# Terms in the glossary: [gradient](glossary.ipynb#gradient), [Jacobian](glossary.ipynb#Jacobian), [broadcasting](glossary.ipynb#broadcasting).
#
# Next, lesson 08: the gradient of `if` and `for`.

# %%
tf.progress("07")
