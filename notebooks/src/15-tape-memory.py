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
#     lesson: "15"
#     minutes: 30
# ---

# %% [markdown]
# # 15 · Tape memory
#
# *Training a model of one gigabyte needs more than sixteen. What uses all the memory?*
#
# About 30 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## The tape keeps intermediate values
#
# The gradient rule of `x * x` needs x; that of `exp` needs its result. So the tape must keep the intermediate values
# until the backward pass has used them. The part *Memory* of the picture shows it frame by frame. The memory of the
# tape grows, reaches its peak at the end of the forward pass, and falls during the backward pass.

# %%
x = tf.Variable(tf.fill([1000], 0.5), name="x")

with tf.GradientTape() as tape:
    h = x
    for _ in range(5):
        h = tf.tanh(h)
    y = tf.reduce_sum(h)

tf.show(tape, y, x)

# %% [markdown]
# A thousand numbers in float32, six times, for `x` and five results; and one more for the sum:

# %%
number = tf.float32.size
print(1000 * number, "bytes for x,", 6 * 1000 * number + number, "in all")

# %% [markdown]
# The *weights* of a model are in memory once. The intermediate values are there for every layer and every example of
# the batch.
#
# ### Exercise 15.1: how many bytes?
#
# Predict the memory of the tape at the end of the forward pass: the source and the results of all layers, without the
# sum at the end.
#
# - `"deeper"`: 1000 numbers in float32 through 20 layers of tanh;
# - `"doubled"`: the same in float64;
# - `"batch"`: 32 images of 28 × 28 numbers in float32 through 3 layers of relu;
# - `"weights"`: how many bytes has one matrix of 784 × 100 weights in float32?

# %%
@tf.exercise("15.1")
def how_many_bytes():
    ### BEGIN SOLUTION
    return {
        "deeper": 21 * 1000 * 4,
        "doubled": 21 * 1000 * 8,
        "batch": 4 * 32 * 28 * 28 * 4,
        "weights": 784 * 100 * 4,
    }
    ### INSTEAD
    return {"deeper": ..., "doubled": ..., "batch": ..., "weights": ...}
    ### END SOLUTION

tf.check("15.1")

# %% [markdown]
# ## When is the memory released?
#
# After the first gradient a tape is empty: that is why you can use it only once. A tape with `persistent=True` keeps
# its values as long as a name refers to it. A tape whose gradient you never compute keeps them, too.
#
# ### Exercise 15.2: kept or freed?
#
# Are the intermediate values still in memory at the end of a training step, `"kept"` or `"freed"`?
#
# - `"a"`: `tape = tf.GradientTape(persistent=True)`, `gradient` was called twice; the name `tape` still refers to it;
# - `"b"`: an ordinary tape, `gradient` was called once; the name `tape` still refers to it;
# - `"c"`: an ordinary tape, `gradient` was never called; the name `tape` still refers to it;
# - `"d"`: as in b, and `history.append(loss.numpy())` has put the loss into a list;
# - `"e"`: as in a, and then `del tape`.

# %%
@tf.exercise("15.2")
def kept_or_freed():
    ### BEGIN SOLUTION
    return {"a": "kept", "b": "freed", "c": "kept", "d": "freed", "e": "freed"}
    ### INSTEAD
    return {"a": ..., "b": ..., "c": ..., "d": ..., "e": ...}
    ### END SOLUTION

tf.check("15.2")

# %% [markdown]
# ## Release, and compute again
#
# You can trade time for memory. A block of layers runs forward, and its intermediate values are **released**; only
# its input is kept. In the backward pass the block runs forward again, and keeps its values this time. This is called
# **checkpointing**. In TensorFlow it is `tf.recompute_grad`:

# %%
def block(x):
    for _ in range(10):
        x = tf.tanh(x)
    return x

forgetful = tf.recompute_grad(block)

x = tf.Variable(tf.fill([1000], 0.5), name="x")

with tf.GradientTape() as tape:
    y = tf.reduce_sum(forgetful(forgetful(forgetful(x))))

print(tape.gradient(y, x)[:3].numpy().round(4))

with tf.GradientTape() as tape:
    y = tf.reduce_sum(block(block(block(x))))

print(tape.gradient(y, x)[:3].numpy().round(4), "is the same")

# %%
with tf.GradientTape() as tape:
    y = tf.reduce_sum(forgetful(forgetful(forgetful(x))))

tf.show(tape, y, x)

# %% [markdown]
# There are thirty layers, but only three records on the tape.
#
# ### Exercise 15.3: it has to fit
#
# This tape holds 60 layers of 200 numbers, 48 800 bytes. Bring it below **12 000**, without changing the gradient.

# %%
@tf.exercise("15.3")
def it_has_to_fit():
    x = tf.Variable(tf.fill([200], 0.5), name="x")

    def ten_layers(h):
        for _ in range(10):
            h = tf.sin(h)
        return h

    ### BEGIN SOLUTION
    ten_layers = tf.recompute_grad(ten_layers)
    ### INSTEAD
    ...
    ### END SOLUTION
    with tf.GradientTape() as tape:
        h = x
        for _ in range(6):
            h = ten_layers(h)
        y = tf.reduce_sum(h)
    ### BEGIN SOLUTION
    return tape, y, x
    ### INSTEAD
    return ...  # tape, y, x
    ### END SOLUTION

tf.check("15.3")

# %% [markdown]
# ## How large should a block be?
#
# With n layers in blocks of k, the tape keeps one value for each block: n / k values. While the backward pass is
# inside a block, the k values of that block are in memory as well. Together there are n / k + k.

# %%
n = 100
sizes = range(1, 101)
plt.plot(sizes, [n / k + k for k in sizes])
plt.xlabel("layers in a block")
plt.ylabel("values in memory at a time")
plt.title("100 layers")
plt.show()

# %% [markdown]
# ### Exercise 15.4: the best block
#
# For n = 100 layers: how many values are in memory with blocks of 2, of 10 and of 50? And which size is best for n = 400?

# %%
@tf.exercise("15.4")
def best_block():
    ### BEGIN SOLUTION
    return {"of 2": 52, "of 10": 20, "of 50": 52, "best for 400": 20}
    ### INSTEAD
    return {"of 2": ..., "of 10": ..., "of 50": ..., "best for 400": ...}
    ### END SOLUTION

tf.check("15.4")

# %% [markdown]
# With the best block size, memory grows with the **square root** of the depth, for one more forward pass (Chen and
# others, 2016). With blocks inside blocks it grows only with the logarithm (Griewank and Walther, 2000).
#
# ## Summary
#
# - A tape keeps what its backward pass needs: the results of every layer, for the whole batch.
# - It releases them after the gradient. Persistent tapes, and tapes whose gradient is never computed, keep them.
# - `tf.recompute_grad` releases a block and computes it again: blocks of √n layers need the least memory.
#
# Terms in the glossary: [checkpointing](glossary.ipynb#checkpointing).
#
# Next, lesson 16: from gradients to a model that learns.

# %%
tf.progress("15")
