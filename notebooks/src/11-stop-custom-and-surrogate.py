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
# *Why do many models use a gradient on purpose that is not the derivative of their function?*
#
# About 35 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## Stop a gradient
#
# `tf.stop_gradient(x)` returns the value of `x` unchanged, but no gradient passes through it. Look at the two
# factors:

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    held = tf.stop_gradient(x)
    y = held * x

print("y =", y.numpy(), " gradient:", tape.gradient(y, x).numpy())

# %%
with tf.GradientTape() as tape:
    held = tf.stop_gradient(x)
    y = held * x

tf.show(tape, y)

# %% [markdown]
# The value is 9, that of x². The gradient is 3 and not 6: one of the two paths to `x` is stopped. For the tape this
# program is "the constant 3, times x". You stop a gradient on purpose where a target should stay fixed, or where a
# part of a model should not be trained.
#
# ### Exercise 11.1: value and gradient
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
# Answer with pairs `(value, gradient)`; a gradient may be `None`.

# %%
@tf.exercise("11.1")
def value_and_derivative():
    ### BEGIN SOLUTION
    return {"a": (4.0, None), "b": (4.0, 1.0), "c": (0.0, 4.0), "d": (4.0, 1.0)}
    ### INSTEAD
    return {"a": (..., ...), "b": (..., ...), "c": (..., ...), "d": (..., ...)}
    ### END SOLUTION

tf.check("11.1")

# %% [markdown]
# Look at the last one again. Its value is that of x², and its gradient is that of x. This is a recipe: **`S(forward −
# backward) + backward`** has the value of `forward` and the gradient of `backward`.
#
# ## A derivative of no use
#
# The derivative of rounding is 0 everywhere except at the jumps. A model that rounds its weights to a few bits, so
# that it fits on a phone, cannot be trained: no useful gradient passes.

# %%
w = tf.Variable(1.7, name="w")

with tf.GradientTape() as tape:
    y = tf.square(tf.round(w) - 5.0)

print(tape.gradient(y, w))

# %% [markdown]
# The solution: round in the forward pass, and ignore the rounding in the backward pass. This is called a
# **straight-through** estimator.
#
# ### Exercise 11.2: straight through
#
# Round `w` so that its derivative is 1. Use the recipe. Return tape, target and source: `tape`, `rounded` and `w`.

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
# log(1 + eˣ) is harmless: for large x it is about x, and its derivative is 1. But look at what the tape computes:

# %%
for value in (1.0, 20.0, 100.0):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = tf.math.log(1.0 + tf.exp(x))
    print(f"x = {value}   y = {y:.4f}   gradient: {tape.gradient(y, x):.4f}")

# %% [markdown]
# e¹⁰⁰ is too large for a float32: it becomes infinity, and in the backward pass infinity times 0 is NaN. The tape
# sees only single operations, not the whole function. You know the whole function. With `@tf.custom_gradient` the
# function returns its value **and** its gradient rule, a function from the upstream gradient to the gradient of the
# input.

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
# Value: `max(x, 0) + log(1 + e^(−|x|))`, which never overflows. Derivative: 1 − 1/(1 + eˣ), which does not overflow,
# either. Write both.

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
# ## Multiply by the upstream gradient
#
# A rule does not return the local derivative. It returns **upstream gradient × local derivative**, as the chain rule
# says. A rule that forgets this is correct only at the very end, where the upstream gradient is 1. It passes a test
# of its own, but it is wrong inside a model.
#
# ### Exercise 11.4: a factor is missing
#
# Fix the rule of `cubed`. The function returns the derivative of 10 · x³.

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
# ## Change only the backward pass
#
# A rule can also keep the value and change only the gradient. A single gradient that is far too large can ruin a
# model in one step. A **gradient clip** does nothing in the forward pass, and limits the gradient in the backward
# pass.
#
# ### Exercise 11.5: at most one
#
# Write `clipped`. The forward pass returns x unchanged. The backward pass limits each element of the upstream
# gradient to the range from −1 to 1. Use `tf.clip_by_value(tensor, low, high)`.

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
# ## Summary
#
# - `tf.stop_gradient` never changes a value. It stops one path of the gradient.
# - `S(forward − backward) + backward` has the value of the one and the gradient of the other.
# - With `tf.custom_gradient` you write the rule: it gets the upstream gradient and returns upstream gradient × local
#   derivative.
# - A surrogate gradient is not the true derivative. Know where you use one, and test that it helps.
#
# Terms in the glossary: [stop gradient](glossary.ipynb#stop-gradient), [custom gradient](glossary.ipynb#custom-gradient), [straight-through estimator](glossary.ipynb#straight-through-estimator), [surrogate gradient](glossary.ipynb#surrogate-gradient).
#
# Next, lesson 12: how to find out that a rule is wrong.

# %%
tf.progress("11")
