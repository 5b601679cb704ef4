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
#     lesson: "12"
#     minutes: 30
# ---

# %% [markdown]
# # 12 · Gradient checking
#
# *You have written a gradient rule. It gives numbers, and the model learns a little. How do you find out that the
# rule is wrong?*
#
# About 30 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## Two independent methods
#
# In lesson 01 finite differences were slow and lost half of the digits. But they have one great advantage: they do
# **not** use your rule. They only run the function. If a rule and a finite difference agree, the rule is almost
# certainly correct.

# %%
def nudged(f, x, h):
    """The derivatives of f with respect to each element of x, by central differences."""
    derivatives = []
    for direction in tf.eye(x.shape[0], dtype=x.dtype):
        derivatives.append((f(x + h * direction) - f(x - h * direction)) / (2.0 * h))
    return tf.stack(derivatives)

def by_tape(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)

def energy(x):
    return tf.reduce_sum(tf.exp(x) * tf.sin(3.0 * x))

x = tf.constant([0.1, 1.0, 2.0], tf.float64)
print("tape:  ", by_tape(energy, x).numpy())
print("nudged:", nudged(energy, x, 1e-5).numpy())

# %% [markdown]
# They agree. How well? The *difference* alone does not say it: 0.001 is small beside a gradient of 1000, and large
# beside one of 0.001. The measure is the **relative error**
#
# > |a − b| / max(|a|, |b|, tiny)
#
# The tiny number avoids 0 / 0 if both gradients are 0.
#
# ### Exercise 12.1: how far apart?
#
# Return the **largest** relative error between two gradients, with `tiny = 1e-8`.

# %%
@tf.exercise("12.1")
def relative_error(a, b):
    a, b = tf.constant(a, tf.float64), tf.constant(b, tf.float64)
    ### BEGIN SOLUTION
    scale = tf.maximum(tf.maximum(tf.abs(a), tf.abs(b)), 1e-8)
    return tf.reduce_max(tf.abs(a - b) / scale)
    ### INSTEAD
    return ...  # at first sight: tf.reduce_max(tf.abs(a - b))
    ### END SOLUTION

tf.check("12.1")

# %% [markdown]
# ## What is small?
#
# Look how the error depends on the step, in two dtypes:

# %%
def worst(dtype, h):
    x = tf.constant([0.1, 1.0, 2.0], dtype)
    a, b = by_tape(energy, x), nudged(energy, x, tf.constant(h, dtype))
    return float(tf.reduce_max(tf.abs(a - b) / tf.maximum(tf.abs(a), tf.abs(b))))

steps = [10.0 ** -(k / 2) for k in range(1, 25)]
plt.loglog(steps, [worst(tf.float64, h) for h in steps], "o-", label="float64")
plt.loglog(steps, [worst(tf.float32, h) + 1e-12 for h in steps], "o-", label="float32")
plt.xlabel("step h")
plt.ylabel("largest relative error")
plt.legend()
plt.show()

# %% [markdown]
# In float64 a correct rule reaches an error of about 1e-10. In float32 it hardly gets below 1e-4 with any step. So
# check in **float64**, even if the model trains in float32. As a rule of thumb for float64, a rule is correct below
# 1e-7 and wrong above 1e-4; in between, look for a [kink](glossary.ipynb#kink).
#
# ### Exercise 12.2: right or wrong?
#
# Judge four checks, each `"right"`, `"wrong"` or `"cannot tell"`:
#
# - `"a"`: float64, h = 1e-5, largest relative error 3e-10;
# - `"b"`: float64, h = 1e-5, largest relative error 0.02;
# - `"c"`: float32, h = 1e-6, largest relative error 0.02;
# - `"d"`: float64; the largest **absolute** difference is 1e-9, and all gradients are about 1e-9.

# %%
@tf.exercise("12.2")
def right_or_wrong():
    ### BEGIN SOLUTION
    return {"a": "right", "b": "wrong", "c": "cannot tell", "d": "wrong"}
    ### INSTEAD
    return {"a": ..., "b": ..., "c": ..., "d": ...}
    ### END SOLUTION

tf.check("12.2")

# %% [markdown]
# ## Three of six are wrong
#
# Here are six functions with rules of their own. Three rules are wrong. The mistakes are typical, and easy to miss
# when you only read the code.

# %%
@tf.custom_gradient
def square(x):
    return x * x, lambda g: g * 2.0 * x

@tf.custom_gradient
def tanh(x):
    y = tf.tanh(x)
    return y, lambda g: g * (1.0 - y)

@tf.custom_gradient
def softsign(x):
    return x / (1.0 + tf.abs(x)), lambda g: g / tf.square(1.0 + tf.abs(x))

@tf.custom_gradient
def mean(x):
    return tf.reduce_mean(x), lambda g: g * tf.ones_like(x)

@tf.custom_gradient
def normed(x):
    length = tf.norm(x)
    return x / length, lambda g: g / length

@tf.custom_gradient
def softplus(x):
    return tf.math.softplus(x), lambda g: g * tf.sigmoid(x)

RULES = {"square": square, "tanh": tanh, "softsign": softsign, "mean": mean, "normed": normed, "softplus": softplus}

# %% [markdown]
# ### Exercise 12.3: find them
#
# Check all six at `x = [0.5, -1.0, 2.0]` in float64, with `h = 1e-5`. A check needs *one* number: multiply the result
# by `weights` and add it up. Return the names of the wrong rules in a list. Your function gets `RULES`, and then
# other functions with the same names, of which others are wrong.

# %%
@tf.exercise("12.3")
def the_wrong_ones(rules):
    x = tf.constant([0.5, -1.0, 2.0], tf.float64)
    weights = tf.constant([1.0, -0.5, 0.3], tf.float64)
    wrong = []
    for name, f in rules.items():
        ### BEGIN SOLUTION
        def number(x, f=f):
            return tf.reduce_sum(weights * f(x))
        a, b = by_tape(number, x), nudged(number, x, 1e-5)
        if tf.reduce_max(tf.abs(a - b)) > 1e-6:
            wrong.append(name)
        ### INSTEAD
        ...
        ### END SOLUTION
    ### BEGIN SOLUTION
    return wrong
    ### INSTEAD
    return ...  # wrong
    ### END SOLUTION

tf.check("12.3")

# %% [markdown]
# tapelab has such a check, with a picture of the error at every element. Here it is for one of the wrong rules:

# %%
tf.check_gradients(lambda x: tf.reduce_sum(tanh(x)), tf.constant([0.5, -1.0, 2.0], tf.float64))

# %% [markdown]
# ## At a kink
#
# `relu` has a kink at 0: the derivative is 0 on the left and 1 on the right. A central difference gives the mean of
# both. The tape returns what its rule defines. *Neither* is wrong here, but they differ, so the check fails.
#
# ### Exercise 12.4: at the kink
#
# What do both methods return? Give numbers for `tf.nn.relu(x)` at 0 with `"tape"` and `"central"` difference; for
# `tf.abs(x)` at 0 with `"abs tape"` and `"abs central"`; and the central difference of `relu` at x = 0.001 with a
# step of 0.002, `"near"`.

# %%
@tf.exercise("12.4")
def at_the_kink():
    ### BEGIN SOLUTION
    return {"tape": 0.0, "central": 0.5, "abs tape": 0.0, "abs central": 0.0, "near": 0.75}
    ### INSTEAD
    return {"tape": ..., "central": ..., "abs tape": ..., "abs central": ..., "near": ...}
    ### END SOLUTION

tf.check("12.4")

# %% [markdown]
# Look at the rules that the tape used:

# %%
x = tf.Variable(0.0, name="x")

with tf.GradientTape() as tape:
    bent = tf.nn.relu(x)
    folded = tf.abs(x)
    y = bent + folded

tf.show(tape, y)

# %% [markdown]
# Therefore check at *random* points, which are almost never at a kink, with a small step, so that few points are
# close to one.
#
# ## Summary
#
# - A finite difference does not use the rule. So it can test the rule.
# - Relative error, in float64, at random points, with a step near 1e-5.
# - Multiply the result by random weights: with weights of 1 mistakes can cancel, and a missing upstream gradient
#   stays hidden.
# - A kink is not a mistake.
#
# Terms in the glossary: [gradient check](glossary.ipynb#gradient-check), [kink](glossary.ipynb#kink).
#
# Next, lesson 13: how infinity gets into a gradient.

# %%
tf.progress("12")
