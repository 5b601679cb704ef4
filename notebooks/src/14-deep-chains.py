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
# *Every layer changes the gradient only a little. Why is almost nothing left after fifty layers?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## Nearly one, fifty times
#
# A gradient that passes through fifty layers is multiplied by fifty factors. How large is such a product?

# %%
for factor in (0.25, 0.9, 1.0, 1.1):
    print(f"{factor} to the power of 50: {factor**50:.1e}")

# %% [markdown]
# There are only three cases: products that **vanish**, products that **explode**, and 1. The derivative of a sigmoid
# is *at most* 1/4, at 0. Here is a chain of twenty sigmoids. Look at the part *Flow* of the picture: it shows the
# size of the gradient along the tape on a logarithmic scale.

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
# A chain has 10 layers with the same activation function. **Every** layer is at the point of its largest derivative.
# Estimate the gradient at the input, with an upstream gradient of 1:
#
# - `"sigmoid"`: its largest derivative is 1/4;
# - `"tanh"`: its largest derivative is 1;
# - `"relu"`: its derivative is 1 where its input is positive;
# - `"residual"`: each layer is h + 0.1 · relu(h), with positive h.

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
# ## How large should the first weights be?
#
# A real layer also has weights. Each neuron adds up `width` products. If the weights are random with the standard
# deviation `spread`, the sum is about √width · spread times as large as the input. The same holds for the gradient in
# the backward pass. After thirty layers:

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
# Read it from right to left, like the backward pass. With a spread of 0.05 the gradient vanishes. Glorot and Bengio
# (2010) found which spread keeps its size: the one with √width · spread = 1.
#
# ### Exercise 14.2: good first weights
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
# ## A connection around each layer
#
# He and others (2016) had a simple and powerful idea: each layer *adds* something to its input, h + f(h), instead of
# replacing it. Then the derivative of each layer is 1 + f′. Whatever f does, the gradient has a path around it.
#
# ### Exercise 14.3: a residual chain
#
# Almost no gradient passes through this chain of sigmoids. Turn each layer into a residual one, h + sigmoid(h), and
# return the gradient at x.

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
# ## Clip what is too large
#
# Exploding gradients can be clipped. Lesson 11 clipped each element, which changes the *direction* of a step. Usually
# **all gradients are scaled together**, so that their common length, √(sum of all squares), is at most a given one.
# If it is already smaller, they do not change.
#
# ### Exercise 14.4: clip by the common length
#
# Return the two gradients, shortened so that their common length is at most `longest`. (`tf.clip_by_global_norm` does
# this; write it by hand here.)

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
# ## Dead units
#
# If the input of a relu is negative for **every** example, the gradient of its weights is 0. So the weights never
# change, and the input stays negative: the unit is **dead**. One large step can make half of a layer dead.
#
# ### Exercise 14.5: count the dead units
#
# `inputs` are the inputs of the relus of a layer: a row for each example, a column for each unit. Return how many
# units are dead.

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
# ## Summary
#
# - The gradient of a deep chain is a product. With factors below 1 it vanishes, with factors above 1 it explodes.
# - Start with a spread of 1/√width, use residual connections h + f(h), and clip long gradients.
# - A unit whose input is negative for all examples never learns.
# - The same happens in time: a network that is applied a hundred times to its own state is a hundred layers deep.
#
# Terms in the glossary: [vanishing and exploding gradients](glossary.ipynb#vanishing-and-exploding-gradients), [gradient clipping](glossary.ipynb#gradient-clipping), [residual connection](glossary.ipynb#residual-connection).
#
# Next, lesson 15: what all these layers cost in memory.

# %%
tf.progress("14")
