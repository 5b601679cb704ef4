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
# *A model of one gigabyte does not fit into sixteen. Who eats all the memory?*
#
# About 30 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## The tape keeps what it passed
#
# The rule of `x * x` needs x on the way back; that of `exp` needs its result. So the tape cannot let go of the values on the way: it holds them until
# the gradient has passed. The part *Memory* of the picture shows it, frame by frame: what the tape holds grows, reaches its peak where the way forward
# ends, and falls on the way back.

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
# The *weights* of a model are in memory once. What it computes is there for every layer, for every example of the batch.
#
# ### Exercise 15.1: how many bytes?
#
# Predict what the tape holds when the way forward has ended: the source and the results of all layers. Leave out the sum at the end.
#
# - `"deeper"`: 1000 numbers in float32 through 20 layers of tanh;
# - `"doubled"`: the same in float64;
# - `"batch"`: 32 pictures of 28 × 28 numbers in float32 through 3 layers of relu;
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
# ## When does it let go?
#
# As soon as a tape has answered, it is empty: that is why it answers only once. A tape with `persistent=True` keeps everything, as long as there is a name
# for it. And a tape that nobody asks keeps it, too.
#
# ### Exercise 15.2: kept or freed?
#
# Say for each of these, at the end of a training step, whether the values on the way are still in memory, `"kept"` or `"freed"`:
#
# - `"a"`: `tape = tf.GradientTape(persistent=True)`, asked twice; `tape` still means it;
# - `"b"`: an ordinary tape, asked once; `tape` still means it;
# - `"c"`: an ordinary tape that was opened to print a loss, and never asked; `tape` still means it;
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
# ## Forget, and compute again
#
# Memory can be traded for time. A block of layers is run forward, and everything inside it is **forgotten**; only its input is kept. On the way back the block
# runs forward once more, and this time remembers. This is called **checkpointing**, and TensorFlow has a word for it:

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
# Thirty layers, and three records on the tape.
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
# Of n layers in blocks of k, the tape keeps one value for each block, n / k of them. And while the way back is inside a block, the k values of that block are
# there as well. Together: n / k + k.

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
# With the best block the memory grows with the **root** of the depth, for the price of one more run forward (Chen and others, 2016). Who takes blocks of blocks
# gets down to the logarithm (Griewank and Walther, 2000).
#
# ## What to take along
#
# - A tape holds what its way back needs: results of every layer, for the whole batch.
# - It lets go when it has answered. Persistent tapes, and tapes that are never asked, hold on.
# - `tf.recompute_grad` forgets a block and computes it again: blocks of √n layers need the least.
#
# Words to look up: [checkpointing](glossary.ipynb#checkpointing).
#
# Next, lesson 16: from gradients to a model that learns.

# %%
tf.progress("15")
