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
#     lesson: "09"
#     minutes: 35
# ---

# %% [markdown]
# # 09 · Forward and reverse: JVP and VJP
#
# *A product of derivatives can be computed from the left or from the right, with the same result. Why can one be a
# thousand times cheaper?*
#
# About 35 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## One chain, two directions
#
# Lesson 01 had two methods of automatic differentiation: dual numbers compute derivatives **forward**, a tape
# computes them **backward**. Both multiply the same local derivatives. Here is a function with three inputs and two
# outputs:

# %%
def machine(x):
    a = x[0] * x[1]
    b = tf.sin(x[1]) + x[2]
    return tf.stack([a * b, a + b])

x = tf.constant([2.0, 0.5, 1.0])

with tf.GradientTape() as tape:
    tape.watch(x)
    y = machine(x)

print(tape.jacobian(y, x).numpy())

# %% [markdown]
# There are six derivatives: a row for each output, a column for each input.
#
# - **Forward mode**: choose a direction of the *inputs*. The result says how all outputs change. It is a **JVP**, a
#   Jacobian-vector product; with the direction `[1, 0, 0]` it is the first *column*.
# - **Reverse mode**: choose a weight for each *output*. The result is the gradient of this weighted sum. It is a
#   **VJP**, a vector-Jacobian product; with the weights `[1, 0]` it is the first *row*.
#
# A tape computes VJPs; the weights are called `output_gradients`. For JVPs there is `ForwardAccumulator`, which uses
# dual numbers:

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = machine(x)

print("first row:   ", tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0])).numpy())

with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 0.0])) as accumulator:
    y = machine(x)

print("first column:", accumulator.jvp(y).numpy())

# %% [markdown]
# Here is the backward pass with the weights 1 and 1. Each frame multiplies an upstream gradient by a local
# derivative. Forward mode visits the same frames from left to right: each multiplies the tangent of its *input* by
# the same local derivative.

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = machine(x)

tf.show(tape, y, x)

# %% [markdown]
# ### Exercise 09.1: in which direction does it grow?
#
# `bowl` gives the height of a valley. You stand at `place` and look along `direction`. Return how fast the height
# grows in this direction. It is a JVP: use **one** forward pass and no tape.

# %%
def bowl(x):
    return tf.square(x[0]) + 3.0 * tf.square(x[1]) + x[0] * x[1]

@tf.exercise("09.1")
def derivative_along(place, direction):
    place, direction = tf.constant(place), tf.constant(direction)
    ### BEGIN SOLUTION
    with tf.autodiff.ForwardAccumulator(place, direction) as accumulator:
        height = bowl(place)
    return accumulator.jvp(height)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("09.1")

# %% [markdown]
# ## What does a Jacobian cost?
#
# One forward-mode pass gives a column, one backward pass gives a row. A model with a million weights and one loss has
# a Jacobian with one row and a million columns. It takes one backward pass, or a million forward-mode passes. That is
# why training uses reverse mode.
#
# Reverse mode is not always better. For a robot arm with 2 motors and 1000 points on its surface, forward mode is.
# And a tape has a cost that dual numbers do not have: it keeps every value until the backward pass.
#
# ### Exercise 09.2: choose the direction
#
# For each function say which mode needs fewer passes for **all** derivatives, `"forward"` or `"reverse"`, and how
# many passes it needs:
#
# | | in | out |
# |---|---|---|
# | `"loss"` | 1 000 000 weights | 1 |
# | `"arm"` | 2 motors | 1000 points |
# | `"weather"` | 12 settings | 5 numbers |

# %%
@tf.exercise("09.2")
def choose_the_direction():
    ### BEGIN SOLUTION
    return {"loss": ("reverse", 1), "arm": ("forward", 2), "weather": ("reverse", 5)}
    ### INSTEAD
    return {"loss": (..., ...), "arm": (..., ...), "weather": (..., ...)}
    ### END SOLUTION

tf.check("09.2")

# %% [markdown]
# ### Exercise 09.3: the Jacobian by columns and by rows
#
# Compute the Jacobian of `machine` twice: `"columns"` from three JVPs, `"rows"` from two VJPs. Both have the shape
# (2, 3). `tf.stack(list, axis=1)` makes vectors the columns of a matrix, `axis=0` makes them its rows.

# %%
@tf.exercise("09.3")
def table_from_either_side(place):
    place = tf.constant(place)
    ### BEGIN SOLUTION
    columns = []
    for direction in tf.eye(3):
        with tf.autodiff.ForwardAccumulator(place, direction) as accumulator:
            y = machine(place)
        columns.append(accumulator.jvp(y))

    rows = []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(place)
        y = machine(place)
    for weights in tf.eye(2):
        rows.append(tape.gradient(y, place, output_gradients=weights))

    return {"columns": tf.stack(columns, axis=1), "rows": tf.stack(rows, axis=0)}
    ### INSTEAD
    return {"columns": ..., "rows": ...}
    ### END SOLUTION

tf.check("09.3")

# %% [markdown]
# ## Both must agree
#
# Take any weights u and any direction v. A JVP, then weighted, is u · (J v). A VJP, then along the direction, is (u
# J) · v. The brackets do not matter, so the two numbers are **equal**. With this **dot-product test** you can check a
# gradient rule without knowing the correct gradient.

# %%
u, v = tf.constant([0.3, -1.0]), tf.constant([1.0, 2.0, -0.5])

with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
    forward = accumulator.jvp(machine(x))

with tf.GradientTape() as tape:
    tape.watch(x)
    y = machine(x)
back = tape.gradient(y, x, output_gradients=u)

print("u · (J v) =", tf.reduce_sum(u * forward).numpy())
print("(u J) · v =", tf.reduce_sum(back * v).numpy())

# %% [markdown]
# ### Exercise 09.4: one of them is wrong
#
# Three functions have a gradient rule of their own. One rule is wrong. Find it with a dot-product test. Compute `J v`
# with a finite difference along `v`: `(f(x + h v) − f(x − h v)) / 2h` with `h = 0.01`. Return the two numbers `(u ·
# (J v), (u J) · v)` for the given function. Then find the function for which they differ, and write its name into the
# answer. `x`, `u` and `v` are lists of two numbers.

# %%
@tf.custom_gradient
def halves(x):
    return x / 2.0, lambda upstream: upstream / 2.0

@tf.custom_gradient
def cubes(x):
    return x**3, lambda upstream: upstream * 3.0 * x

@tf.custom_gradient
def waves(x):
    return tf.sin(x), lambda upstream: upstream * tf.cos(x)

@tf.exercise("09.4")
def one_of_them_lies(x, u, v):
    x, u, v = tf.constant(x), tf.constant(u), tf.constant(v)
    h = 0.01

    def both(f):
        ### BEGIN SOLUTION
        nudged = (f(x + h * v) - f(x - h * v)) / (2 * h)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        back = tape.gradient(y, x, output_gradients=u)
        return tf.reduce_sum(u * nudged), tf.reduce_sum(back * v)
        ### INSTEAD
        return ..., ...
        ### END SOLUTION

    ### BEGIN SOLUTION
    liar = "cubes"
    ### INSTEAD
    liar = ...
    ### END SOLUTION
    return {"liar": liar, "waves": both(waves), "cubes": both(cubes)}

tf.check("09.4")

# %% [markdown]
# ## Summary
#
# - Forward mode gives a column of the Jacobian (a JVP), reverse mode gives a row (a VJP).
# - Few inputs: forward mode. Few outputs: reverse mode. A loss is one output.
# - Reverse mode must keep the values of the forward pass; forward mode need not.
# - u · (J v) = (u J) · v tests any gradient rule, with any numbers.
#
# Terms in the glossary: [forward mode](glossary.ipynb#forward-mode), [reverse mode](glossary.ipynb#reverse-mode), [JVP](glossary.ipynb#JVP), [VJP](glossary.ipynb#VJP), [tangent](glossary.ipynb#tangent), [primal](glossary.ipynb#primal), [seed](glossary.ipynb#seed), [dot-product test](glossary.ipynb#dot-product-test).
#
# Next, lesson 10: the derivative of a derivative.

# %%
tf.progress("09")
