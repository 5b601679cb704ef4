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
# *A chain of slopes can be multiplied from the left or from the right. The result is the same. Why is the one a thousand times
# cheaper?*
#
# About 35 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## One chain, two directions
#
# Lesson 01 had two ways without any nudging: dual numbers carry slopes **forward**, a tape carries them **back**. Both multiply the same local
# slopes. Take three numbers in, two numbers out:

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
# Six slopes: a row for each output, a column for each input.
#
# - **Forward**: choose a direction in which the *input* moves. Out comes how all outputs move. That is a
#   **JVP**, the Jacobian times a vector; with the direction `[1, 0, 0]` it is the first *column*.
# - **Reverse**: choose a weight for each *output*. Out comes how that weighted sum reacts to all inputs. That is a
#   **VJP**, a vector times the Jacobian; with the weights `[1, 0]` it is the first *row*.
#
# A tape gives VJPs; the weights are called `output_gradients`. For JVPs there is an accumulator, which carries dual
# numbers:

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = machine(x)

print("first row:   ", tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0])).numpy())

with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 0.0])) as accumulator:
    y = machine(x)

print("first column:", accumulator.jvp(y).numpy())

# %% [markdown]
# Here is the way back, with the weights 1 and 1. Each frame multiplies an upstream by a local slope. Now imagine the same frames from
# left to right: each would multiply what comes from its *inputs* by the same local slope.

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = machine(x)

tf.show(tape, y, x)

# %% [markdown]
# ### Exercise 09.1: in which direction does it grow?
#
# `bowl` has a valley. You stand at `place` and look along `direction`. Return how fast the height grows when you go that way: a JVP,
# from **one** run forward, without a tape.

# %%
def bowl(x):
    return tf.square(x[0]) + 3.0 * tf.square(x[1]) + x[0] * x[1]

@tf.exercise("09.1")
def slope_along(place, direction):
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
# ## What does the whole table cost?
#
# One sweep forward gives a column, one sweep back gives a row. A model with a million weights and one loss has a Jacobian with one row
# and a million columns: one sweep back, or a million sweeps forward. That is the whole secret of training.
#
# It is not a law of nature that reverse is better. A robot's arm with 2 motors and 1000 points on its surface is the
# other way round. And the tape has a price that dual numbers do not have: it keeps every value until the way back.
#
# ### Exercise 09.2: choose the direction
#
# For each function say `"forward"` or `"reverse"`, whichever needs fewer sweeps for **all** slopes; and how many sweeps the better one
# needs:
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
# ### Exercise 09.3: the table from either side
#
# Put the Jacobian of `machine` together twice: `"columns"` from three JVPs, `"rows"` from two VJPs. Both have the shape
# (2, 3). `tf.stack(list, axis=1)` puts vectors side by side, `axis=0` one below the other.

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
# Take any weights u and any direction v. First forward, then weighted: u · (J v). First weighted back, then along the direction: (u J) · v. The
# brackets do not matter, so the two numbers are **equal**. Whoever writes a rule for a way back can test it so, without knowing the
# right answer: the **dot-product test**.

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
# ### Exercise 09.4: one of them lies
#
# Three functions bring their own rule for the way back. One rule is wrong. Find it with a dot-product test: get `J v` by nudging along `v`,
# with `(f(x + h v) − f(x − h v)) / 2h` and `h = 0.01`. Return the two numbers `(u · (J v), (u J) · v)` for the function you are given; then look for
# which of the three they differ, and write its name into the answer. `x`, `u` and `v` are lists of two numbers.

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
# ## What to take along
#
# - Forward gives a column of the Jacobian (a JVP), reverse gives a row (a VJP).
# - Few inputs: forward. Few outputs: reverse. A loss is one output.
# - Reverse has to remember the way; forward has not.
# - u · (J v) = (u J) · v: a test of any rule, with any numbers.
#
# Words to look up: [forward mode](glossary.ipynb#forward-mode), [reverse mode](glossary.ipynb#reverse-mode), [JVP](glossary.ipynb#JVP), [VJP](glossary.ipynb#VJP), [tangent](glossary.ipynb#tangent), [primal](glossary.ipynb#primal), [seed](glossary.ipynb#seed), [dot-product test](glossary.ipynb#dot-product-test).
#
# Next, lesson 10: the slope of a slope.

# %%
tf.progress("09")
