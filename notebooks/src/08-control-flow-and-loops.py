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
#     lesson: "08"
#     minutes: 30
# ---

# %% [markdown]
# # 08 · Control flow and loops
#
# *A program has conditions and loops. A formula has neither. So what is the derivative of an `if`?*
#
# About 30 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## The tape has no loops
#
# This loop computes a power. How many operations will be on the tape?

# %%
x = tf.Variable(1.1, name="x")

with tf.GradientTape() as tape:
    y = tf.constant(1.0)
    for _ in range(20):
        y = y * x

print(f"{tape.gradient(y, x):.3f}, and by the rule 20 · x¹⁹: {20 * 1.1**19:.3f}")

# %%
x = tf.Variable(1.1, name="x")

with tf.GradientTape() as tape:
    y = tf.constant(1.0)
    for _ in range(20):
        y = y * x

tf.show(tape, y)

# %% [markdown]
# There are twenty multiplications. The picture folds them into one card, "×20"; unfold it to see them all. A tape
# records **what ran**, not the loop in the code. Therefore every loop has a gradient: it is a long chain of
# operations, and each has a gradient rule.
#
# This is true for every algorithm. Two thousand years ago Heron computed square roots like this: start with a guess,
# then replace it by the mean of the guess and of `a` divided by the guess, and repeat.
#
# ### Exercise 08.1: the derivative of Heron's method
#
# Start with the guess 1, do `steps` iterations, and use a tape to return the derivative of the result with respect to
# `a`.

# %%
@tf.exercise("08.1")
def derivative_of_heron(a, steps):
    a = tf.Variable(a)
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        root = tf.constant(1.0)
        for _ in range(steps):
            root = (root + a / root) / 2.0
    return tape.gradient(root, a)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("08.1")

# %% [markdown]
# The true derivative of √a is 1 / (2√a). See how the derivative of the *program* gets closer with every iteration:

# %%
for steps in (1, 2, 3, 4, 6):
    a = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        root = tf.constant(1.0)
        for _ in range(steps):
            root = (root + a / root) / 2.0
    print(steps, "rounds:", tape.gradient(root, a).numpy())

print("the derivative of √2:", 1 / (2 * 2**0.5))

# %% [markdown]
# Remember: the tape differentiates the **program**, with the iterations that it ran. It does not know that you want a
# square root. Lesson 18 returns to this.
#
# ## The tape has no branches
#
# Here is a function with a [kink](glossary.ipynb#kink). What is on the tape when `x` is negative?

# %%
def bent(x):
    if x > 0:
        return 3.0 * x
    return 0.1 * x

x = tf.Variable(-2.0, name="x")

with tf.GradientTape() as tape:
    y = bent(x)

tf.show(tape, y)

# %% [markdown]
# There is one multiplication, that of the branch that ran. The other branch is not on the tape, and neither is the
# condition `x > 0`, which has no derivative. On each side of the kink the gradient is correct. *At* the kink there is
# no derivative; the tape returns that of the branch that ran.
#
# `tf.where` is different: it computes **both** sides, and the selection is an operation on the tape.

# %%
with tf.GradientTape() as tape:
    y = tf.where(x > 0, 3.0 * x, 0.1 * x)

tf.show(tape, y)

# %% [markdown]
# ### Exercise 08.2: which branch?
#
# Predict the derivatives. Each is a number or `None`:
#
# ```python
# def stairs(x):
#     if x > 1:
#         return 5.0 * x
#     elif x > 0:
#         return x * x
#     return tf.constant(7.0)
# ```
#
# at `x = 2`, `x = 0.5` and `x = -1`; and at `x = 1`, where two branches meet.

# %%
@tf.exercise("08.2")
def which_branch():
    ### BEGIN SOLUTION
    return {"at 2": 5.0, "at 0.5": 1.0, "at -1": None, "at 1": 2.0}
    ### INSTEAD
    return {"at 2": ..., "at 0.5": ..., "at -1": ..., "at 1": ...}
    ### END SOLUTION

tf.check("08.2")

# %% [markdown]
# ## The number of iterations
#
# A `while` loop checks its condition before every iteration. So the number of iterations depends on `x`, too:

# %%
def grown(x):
    y, rounds = x, 0
    while y < 100.0:
        y = y * x
        rounds += 1
    return y, rounds

for start in (2.9, 3.0, 3.1, 3.2):
    x = tf.Variable(start)
    with tf.GradientTape() as tape:
        y, rounds = grown(x)
    print(f"x = {start}: {rounds} rounds, y = {y.numpy():.1f}, derivative {tape.gradient(y, x).numpy():.1f}")

# %% [markdown]
# Between 3.1 and 3.2 there is one iteration less, and `y` jumps down. The derivatives do not show this: each is
# correct only **as long as the number of iterations stays the same**. The tape cannot warn you, because it contains
# only what ran.
#
# ### Exercise 08.3: count the iterations
#
# For `grown`, predict the number of multiplications on the tape and the derivative at `x = 3` (where `y` is 243) and
# at `x = 10`. Predict also the gradient of `tf.constant(float(rounds))` with respect to `x`.

# %%
@tf.exercise("08.3")
def round_by_round():
    ### BEGIN SOLUTION
    return {
        "records at 3": 4,
        "slope at 3": 405.0,
        "records at 10": 1,
        "slope at 10": 20.0,
        "slope of rounds": None,
    }
    ### INSTEAD
    return {
        "records at 3": ...,
        "slope at 3": ...,
        "records at 10": ...,
        "slope at 10": ...,
        "slope of rounds": ...,
    }
    ### END SOLUTION

tf.check("08.3")

# %% [markdown]
# ## The branch for one single point
#
# sin(x) / x cannot be computed at 0, where it should be 1. So this program treats the point 0 separately. It looks
# harmless:

# %%
def sinc(x):
    if x == 0.0:
        return tf.constant(1.0)
    return tf.sin(x) / x

for value in (0.0, 0.01):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = sinc(x)
    print("x =", value, " y =", y.numpy(), " gradient:", tape.gradient(y, x))

# %% [markdown]
# The value is correct everywhere. But at 0 there is no gradient: in the branch that ran, nothing depends on `x`. A
# value at a single point does not determine a *derivative*. The branch needs a formula that is correct **around** the
# point, such as the first terms of the series: sin(x) / x = 1 − x² / 6 + …
#
# ### Exercise 08.4: correct around zero
#
# Fix `sinc` so that the derivative is correct at 0 and everywhere else. It is 0 at 0, and about −x/3 close to 0.

# %%
@tf.exercise("08.4")
def derivative_of_sinc(value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        y = 1.0 - x * x / 6.0 if abs(value) < 0.01 else tf.sin(x) / x
        ### INSTEAD
        y = tf.constant(1.0) if value == 0.0 else tf.sin(x) / x
        ### END SOLUTION
    return tape.gradient(y, x)

tf.check("08.4")

# %% [markdown]
# ## Summary
#
# - A tape records what ran. Loops are unrolled; of a branch only the side that ran is recorded.
# - The gradient is that of the path that ran. Conditions and numbers of iterations have no derivative.
# - Where the branch or the number of iterations changes, the function may jump, and no gradient warns you.
# - A branch for a single point can give the correct value and lose the derivative.
#
# Terms in the glossary: [unrolling](glossary.ipynb#unrolling), [branch](glossary.ipynb#branch).
#
# Next, lesson 09: the same chain in the other direction.

# %%
tf.progress("08")
