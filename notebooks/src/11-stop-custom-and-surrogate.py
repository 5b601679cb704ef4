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
#     lesson: "11"
#     minutes: 35
# ---

# %% [markdown]
# # 11 · Stop, custom and surrogate gradients
#
# *May a program lie about its own slope? And why do the best models do it all the time?*
#
# About 35 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## A valve
#
# `tf.stop_gradient(x)` is a valve: values pass it forward as if it were not there; no gradient passes it back. Look at the two factors:

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    held = tf.stop_gradient(x)
    y = held * x

print("y =", y.numpy(), " slope:", tape.gradient(y, x).numpy())

# %%
with tf.GradientTape() as tape:
    held = tf.stop_gradient(x)
    y = held * x

tf.show(tape, y)

# %% [markdown]
# The value is 9, that of x². The slope is 3 and not 6: of the two ways back to `x` one is shut. So this program *says* x², and *means* "a
# number that happens to be 3, times x". One shuts a way on purpose: where a target should be reached, and not come to meet you; where a
# part of a model is to be left alone.
#
# ### Exercise 11.1: value and slope
#
# Predict both, at x = 2. S is `tf.stop_gradient`.
#
# | | |
# |---|---|
# | `"a"` | `S(x) * S(x)` |
# | `"b"` | `x + S(x)` |
# | `"c"` | `x * x - S(x * x)` |
# | `"d"` | `S(x * x - x) + x` |
#
# Answer with pairs `(value, slope)`; a slope may be `None`.

# %%
@tf.exercise("11.1")
def value_and_slope():
    ### BEGIN SOLUTION
    return {"a": (4.0, None), "b": (4.0, 1.0), "c": (0.0, 4.0), "d": (4.0, 1.0)}
    ### INSTEAD
    return {"a": (..., ...), "b": (..., ...), "c": (..., ...), "d": (..., ...)}
    ### END SOLUTION

tf.check("11.1")

# %% [markdown]
# Look at the last one once more. Its value is that of x², and its slope is that of x. This is a recipe: **`S(what you want forward − what you
# want back) + what you want back`**.
#
# ## A slope that is not there
#
# Rounding is flat everywhere and jumps in between. A model that rounds its weights to few bits, so that they fit on a phone, cannot be
# trained: no gradient comes through.

# %%
w = tf.Variable(1.7, name="w")

with tf.GradientTape() as tape:
    y = tf.square(tf.round(w) - 5.0)

print(tape.gradient(y, w))

# %% [markdown]
# The way out is a lie that works: round on the way forward, and pretend on the way back that nothing had been rounded. This is called a
# **straight-through** estimator.
#
# ### Exercise 11.2: straight through
#
# Round `w`, in such a way that its slope is 1. You have the recipe. Return tape, target and source: `tape`, `rounded` and `w`.

# %%
@tf.exercise("11.2")
def straight_through(value):
    w = tf.Variable(value)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        rounded = w + tf.stop_gradient(tf.round(w) - w)
        ### INSTEAD
        rounded = ...  # at first sight: tf.round(w)
        ### END SOLUTION
    return tape, rounded, w

tf.check("11.2")

# %% [markdown]
# ## A rule of your own
#
# log(1 + eˣ) is harmless: for large x it is x, and its slope is 1. But look what the tape makes of it:

# %%
for value in (1.0, 20.0, 100.0):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = tf.math.log(1.0 + tf.exp(x))
    print(f"x = {value}   y = {y:.4f}   slope: {tape.gradient(y, x):.4f}")

# %% [markdown]
# e¹⁰⁰ is too large for a float32: it becomes infinity, and on the way back infinity times 0 is NaN. The engine has no way to know that the
# whole is harmless. You know. `@tf.custom_gradient` lets you say so: the function returns its value **and** a function that turns the
# upstream into what arrives at the input.

# %%
@tf.custom_gradient
def doubled(x):
    def rule(upstream):
        return upstream * 2.0
    return 2.0 * x, rule

x = tf.Variable(5.0)
with tf.GradientTape() as tape:
    y = tf.square(doubled(x))
print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### Exercise 11.3: log(1 + eˣ), safely
#
# Value: `max(x, 0) + log(1 + e^(−|x|))`, which never overflows. Slope: 1 − 1/(1 + eˣ), which does not, either. Write both.

# %%
@tf.exercise("11.3")
def log1pexp(value):
    @tf.custom_gradient
    def safe(x):
        ### BEGIN SOLUTION
        y = tf.maximum(x, 0.0) + tf.math.log(1.0 + tf.exp(-tf.abs(x)))
        return y, lambda upstream: upstream * (1.0 - 1.0 / (1.0 + tf.exp(x)))
        ### INSTEAD
        return tf.math.log(1.0 + tf.exp(x)), lambda upstream: upstream * 0.0
        ### END SOLUTION

    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = safe(x)
    ### BEGIN SOLUTION
    return {"value": y, "slope": tape.gradient(y, x)}
    ### INSTEAD
    return {"value": ..., "slope": ...}  # y, tape.gradient(y, x)
    ### END SOLUTION

tf.check("11.3")

# %% [markdown]
# ## The upstream belongs to it
#
# A rule does not return the slope. It returns **upstream × slope**: it is one link of a chain. A rule that forgets this is right as long as it stands
# at the very end, where the upstream is 1. Tested alone, it shines; built into a model, it is wrong.
#
# ### Exercise 11.4: a link is missing
#
# Mend the rule of `cubed`. The function takes the slope of 10 · x³.

# %%
@tf.exercise("11.4")
def a_link_is_missing(value):
    @tf.custom_gradient
    def cubed(x):
        def rule(upstream):
            ### BEGIN SOLUTION
            return upstream * 3.0 * x * x
            ### INSTEAD
            return 3.0 * x * x
            ### END SOLUTION
        return x * x * x, rule

    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = 10.0 * cubed(x)
    ### BEGIN SOLUTION
    return tape.gradient(y, x)
    ### INSTEAD
    return ...  # tape.gradient(y, x)
    ### END SOLUTION

tf.check("11.4")

# %% [markdown]
# ## Only the way back
#
# A rule may also leave the value alone and change what comes back. One gradient that is far too large can ruin a model in one single step. A
# **gradient clip** is a function that does nothing forward, and cuts off backward.
#
# ### Exercise 11.5: not more than one
#
# Write `clipped`: forward it returns x as it is; backward no number of the upstream is larger than 1 or smaller than −1.
# `tf.clip_by_value(tensor, low, high)` cuts.

# %%
@tf.exercise("11.5")
def not_more_than_one(values, weights):
    @tf.custom_gradient
    def clipped(x):
        ### BEGIN SOLUTION
        return tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0)
        ### INSTEAD
        return tf.identity(x), lambda upstream: upstream
        ### END SOLUTION

    x = tf.Variable(values)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(clipped(x) * tf.constant(weights))
    ### BEGIN SOLUTION
    return {"value": y, "slope": tape.gradient(y, x)}
    ### INSTEAD
    return {"value": ..., "slope": ...}  # y, tape.gradient(y, x)
    ### END SOLUTION

tf.check("11.5")

# %% [markdown]
# ## What to take along
#
# - `tf.stop_gradient` never changes a value. It shuts one way back.
# - `S(forward − back) + back` has the value of the one and the slope of the other.
# - With `tf.custom_gradient` you write the rule: upstream in, upstream × slope out.
# - A surrogate is a lie about the slope. It is honest to know where you lie, and to test that it helps.
#
# Words to look up: [stop gradient](glossary.ipynb#stop-gradient), [custom gradient](glossary.ipynb#custom-gradient), [straight-through estimator](glossary.ipynb#straight-through-estimator), [surrogate gradient](glossary.ipynb#surrogate-gradient).
#
# Next, lesson 12: how to find out that a rule is wrong.

# %%
tf.progress("11")
