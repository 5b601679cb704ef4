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
#     lesson: "14"
#     minutes: 35
# ---

# %% [markdown]
# # 14 · Deep chains
#
# *Every layer passes the gradient on nearly as it came. Why does nothing arrive after fifty of them?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## Nearly one, fifty times
#
# A gradient that comes through fifty layers is a product of fifty factors. How large is such a product?

# %%
for factor in (0.25, 0.9, 1.0, 1.1):
    print(f"{factor} to the power of 50: {factor**50:.1e}")

# %% [markdown]
# There are only three kinds of numbers here: those that **vanish**, those that **explode**, and 1. The slope of a sigmoid is *at most* 1/4, at 0. Here is a
# chain of twenty; look at the part *Flow* of the picture, which draws the size of the gradient along the tape, on a logarithmic scale.

# %%
x = tf.Variable(0.5, name="x")

with tf.GradientTape() as tape:
    h = x
    for _ in range(20):
        h = tf.sigmoid(h)

tf.show(tape, h)

# %% [markdown]
# ### Exercise 14.1: what arrives?
#
# A chain of 10 layers, all with the same activation, at a point where **every** layer has its largest slope. Estimate what arrives at the
# beginning, with an upstream of 1:
#
# - `"sigmoid"`: its largest slope is 1/4;
# - `"tanh"`: its largest slope is 1;
# - `"relu"`: its slope is 1 where it is open;
# - `"residual"`: each layer is h + 0.1 · relu(h), with all relus open.

# %%
@tf.exercise("14.1")
def what_arrives():
    ### BEGIN SOLUTION
    return {"sigmoid": 0.25**10, "tanh": 1.0, "relu": 1.0, "residual": 1.1**10}
    ### INSTEAD
    return {"sigmoid": ..., "tanh": ..., "relu": ..., "residual": ...}
    ### END SOLUTION

tf.check("14.1")

# %% [markdown]
# ## How large should weights begin?
#
# In a real layer there are weights, too. Each neuron adds up `width` products. If the weights are drawn with a spread of `spread`, the sum is about
# √width · spread times as large as what came in; and the same on the way back. After thirty layers:

# %%
def gradient_norms(spread, width=100, layers=30):
    tf.random.set_seed(3)
    x = tf.random.normal([1, width])
    h, states = x, []
    with tf.GradientTape() as tape:
        tape.watch(x)
        h = x
        for _ in range(layers):
            h = tf.tanh(h @ (spread * tf.random.normal([width, width])))
            states.append(h)
        y = tf.reduce_sum(h)
    return [float(tf.norm(g)) for g in tape.gradient(y, states)]

for spread in (0.05, 0.1, 0.2):
    plt.semilogy(gradient_norms(spread), label=f"spread {spread}")
plt.xlabel("layer")
plt.ylabel("size of the gradient")
plt.legend()
plt.show()

# %% [markdown]
# Read it from right to left, as the gradient walks. With a spread of 0.05 it vanishes. Glorot and Bengio (2010) found which spread keeps its size: the one
# with √width · spread = 1.
#
# ### Exercise 14.2: a good beginning
#
# Return that spread for a layer of any `width`.

# %%
@tf.exercise("14.2")
def good_spread(width):
    ### BEGIN SOLUTION
    return 1.0 / width**0.5
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("14.2")

# %% [markdown]
# ## A way around
#
# He and others (2016) had an idea that is as simple as it is strong: let each layer *add* something to what it got, h + f(h), instead of replacing it.
# Then the slope of each layer is 1 + f′: whatever f does, there is always a way around it.
#
# ### Exercise 14.3: a residual chain
#
# This chain of sigmoids lets nothing through. Turn each layer into a residual one, h + sigmoid(h), and return what arrives at x.

# %%
@tf.exercise("14.3")
def residual_chain(value, layers):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        h = x
        for _ in range(layers):
            ### BEGIN SOLUTION
            h = h + tf.sigmoid(h)
            ### INSTEAD
            h = tf.sigmoid(h)
            ### END SOLUTION
    return tape.gradient(h, x)

tf.check("14.3")

# %% [markdown]
# ## Too much at once
#
# What explodes can be cut. Lesson 11 cut each number; that changes the *direction* of a step. Mostly one shortens **all gradients together**, until their common
# length is a given one: √(sum of all squares). If they are short enough already, they stay as they are.
#
# ### Exercise 14.4: clip by the common length
#
# Return the two gradients, shortened so that their common length is at most `longest`. (`tf.clip_by_global_norm` does it; do it by hand this once.)

# %%
@tf.exercise("14.4")
def clip_together(first, second, longest):
    first, second = tf.constant(first), tf.constant(second)
    ### BEGIN SOLUTION
    length = tf.sqrt(tf.reduce_sum(first * first) + tf.reduce_sum(second * second))
    factor = tf.minimum(1.0, longest / length)
    return {"first": factor * first, "second": factor * second}
    ### INSTEAD
    return {"first": ..., "second": ...}
    ### END SOLUTION

tf.check("14.4")

# %% [markdown]
# ## Closed for ever
#
# A relu whose input is negative for **every** example passes no gradient, for any of them. Its weights get 0, so they never change, so it stays closed: it is
# **dead**. One large step can kill half of a layer.
#
# ### Exercise 14.5: count the dead
#
# `inputs` are what goes into the relus of a layer: a row for each example, a column for each unit. Return how many units are dead.

# %%
@tf.exercise("14.5")
def count_the_dead(inputs):
    inputs = tf.constant(inputs)
    ### BEGIN SOLUTION
    closed = tf.reduce_all(inputs <= 0.0, axis=0)
    return tf.reduce_sum(tf.cast(closed, tf.int32))
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("14.5")

# %% [markdown]
# ## What to take along
#
# - A deep chain is a product. Factors below 1 vanish, factors above 1 explode.
# - Begin with a spread of 1/√width; go around with h + f(h); clip what is too long.
# - A unit that is closed for all examples learns nothing, for ever.
# - The same happens in time: a network that is applied a hundred times to its own state is a hundred layers deep.
#
# Words to look up: [vanishing and exploding gradients](glossary.ipynb#vanishing-and-exploding-gradients), [gradient clipping](glossary.ipynb#gradient-clipping), [residual connection](glossary.ipynb#residual-connection).
#
# Next, lesson 15: what all these layers cost in memory.

# %%
tf.progress("14")
