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
# *You have written a rule for the way back. It gives numbers, and the model learns a little. How do you find out that it is wrong?*
#
# About 30 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## Two ways that know nothing of each other
#
# Lesson 01 left nudging behind: it is slow, and loses half the digits. But it has one great virtue. It knows **nothing** about your rule. It only runs
# the function forward. When a rule and the nudge agree, both would have to be wrong in the same way.

# %%
def nudged(f, x, h):
    """The slope of f along each number of x, by central differences."""
    slopes = []
    for direction in tf.eye(x.shape[0], dtype=x.dtype):
        slopes.append((f(x + h * direction) - f(x - h * direction)) / (2.0 * h))
    return tf.stack(slopes)

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
# They agree. How well? Not the *difference* counts: 0.001 is nothing beside a gradient of 1000, and everything beside one of 0.001. The measure is the
# **relative error**
#
# > |a − b| / max(|a|, |b|, tiny)
#
# The tiny number keeps 0 against 0 from being 0 / 0.
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
# In float64 a right rule comes down to about 1e-10. In float32 it hardly gets below 1e-4, and no step mends that: check in **float64**, even if the
# model trains in float32. A rule of thumb for float64: below 1e-7 is right, above 1e-4 is wrong, in between look for a kink.
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
# ## Three of six lie
#
# Six functions with rules of their own. Three rules are wrong. The mistakes are the usual ones, and by reading alone they are easy to miss.

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
# Check all six at `x = [0.5, -1.0, 2.0]` in float64, with `h = 1e-5`. A check needs *one* number: weigh what comes out with `weights` and add it up.
# Return the names of the wrong ones in a list. Your function is given `RULES`, and then others of the same names: there, other ones lie.

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
# tapelab has such a check, with a picture of the error at every number. Here for one of the liars:

# %%
tf.check_gradients(lambda x: tf.reduce_sum(tanh(x)), tf.constant([0.5, -1.0, 2.0], tf.float64))

# %% [markdown]
# ## At a kink the nudge is wrong
#
# `relu` has a kink at 0: the slope is 0 on the left and 1 on the right. A nudge from both sides sees half of each. The tape says what its rule says. Here
# *neither* is wrong, and the check rings all the same.
#
# ### Exercise 12.4: at the kink
#
# What do both say? Give numbers for `tf.nn.relu(x)` at 0 with `"tape"` and `"central"` difference; for `tf.abs(x)` at 0 with `"abs tape"` and `"abs central"`;
# and the central difference of `relu` at x = 0.001 with a step of 0.002, `"near"`.

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
# Look at the rules that the tape has used:

# %%
x = tf.Variable(0.0, name="x")

with tf.GradientTape() as tape:
    bent = tf.nn.relu(x)
    folded = tf.abs(x)
    y = bent + folded

tf.show(tape, y)

# %% [markdown]
# Therefore one checks at *random* points, which hardly ever hit a kink, and takes a small step, so that few points come close to one.
#
# ## What to take along
#
# - A nudge knows nothing about the rule. That makes it the judge.
# - Relative error, in float64, at random points, with a step near 1e-5.
# - Weigh what comes out: ones would let mistakes cancel, and would not see a missing upstream.
# - A kink is no mistake.
#
# Words to look up: [gradient check](glossary.ipynb#gradient-check), [kink](glossary.ipynb#kink).
#
# Next, lesson 13: how infinity gets into a gradient.

# %%
tf.progress("12")
