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
# *A program decides and repeats. A formula does neither. So what is the slope of an `if`?*
#
# About 30 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## The tape has no loops
#
# Here is a power, computed by a loop. How many operations will be on the tape?

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
# Twenty multiplications, in a row. The picture folds them into one card, "×20"; unfold it and they are all there. A tape writes
# down **what ran**, and it does not know whether a loop made it run. Therefore any loop has a gradient: it is a long chain of
# operations, and each has a rule.
#
# This also holds for an algorithm. Two thousand years ago Heron found square roots like this: guess; then take
# the mean of the guess and of `a` divided by the guess; repeat.
#
# ### Exercise 08.1: the slope of Heron's method
#
# Start with the guess 1, do `steps` rounds, and return the slope of the result with respect to `a`, by a tape.

# %%
@tf.exercise("08.1")
def slope_of_heron(a, steps):
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
# The true slope of √a is 1 / (2√a). Look how the slope of the *program* comes closer, round by round:

# %%
for steps in (1, 2, 3, 4, 6):
    a = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        root = tf.constant(1.0)
        for _ in range(steps):
            root = (root + a / root) / 2.0
    print(steps, "rounds:", tape.gradient(root, a).numpy())

print("the slope of √2:", 1 / (2 * 2**0.5))

# %% [markdown]
# Keep this in mind: the tape differentiates the **program**, with the rounds that it did. It does not know that you meant a root.
# Lesson 18 comes back to it.
#
# ## The tape has no branches
#
# A function with a bend. What is on the tape when `x` is negative?

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
# One multiplication, that of the branch that was taken. The other branch has left no trace, and neither has the question `x > 0`: it was
# asked, answered, and has no slope. On each side of the bend the gradient is right. *At* the bend there is none in mathematics;
# the tape takes that of the branch it ran.
#
# A decision by `tf.where` is something else: **both** sides are computed, and the choice is an operation.

# %%
with tf.GradientTape() as tape:
    y = tf.where(x > 0, 3.0 * x, 0.1 * x)

tf.show(tape, y)

# %% [markdown]
# ### Exercise 08.2: which branch?
#
# Predict the slopes, numbers or `None`:
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
# at `x = 2`, `x = 0.5` and `x = -1`; and last, at `x = 1`, where two steps meet.

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
# ## How often?
#
# A `while` decides before every round. So the number of rounds depends on `x`, too:

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
    print(f"x = {start}: {rounds} rounds, y = {y.numpy():.1f}, slope {tape.gradient(y, x).numpy():.1f}")

# %% [markdown]
# Between 3.1 and 3.2 a round is lost, and `y` falls off a cliff. The slopes know nothing of it: each of them tells how `y` reacts **as long as
# the number of rounds stays the same**. The tape cannot warn, because what was not run is not there.
#
# ### Exercise 08.3: round by round
#
# For `grown`, predict: the number of multiplications on the tape and the slope at `x = 3` (where `y` is 243) and at `x = 10`; and the gradient of
# `tf.constant(float(rounds))` with respect to `x`.

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
# sin(x) / x cannot be computed at 0, where it should be 1. So one catches that single point. It looks harmless:

# %%
def sinc(x):
    if x == 0.0:
        return tf.constant(1.0)
    return tf.sin(x) / x

for value in (0.0, 0.01):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = sinc(x)
    print("x =", value, " y =", y.numpy(), " slope:", tape.gradient(y, x))

# %% [markdown]
# The value is right everywhere. The gradient at 0 is not there at all: on the branch that ran, nothing leads back to `x`. A value in a
# single point says nothing about a *slope*. What the branch needs is a formula that is right **around** the point, such as the beginning of the
# series: sin(x) / x = 1 − x² / 6 + …
#
# ### Exercise 08.4: right around zero
#
# Mend `sinc` so that the slope is right at 0 and everywhere else. It is 0 at 0, and −x/3 close to it.

# %%
@tf.exercise("08.4")
def slope_of_sinc(value):
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
# ## What to take along
#
# - A tape records what ran. Loops are unrolled, branches leave one side.
# - The gradient is that of the path that was taken. How often, and which way, are decisions: they have no slope.
# - Where the number of rounds or the branch changes, the function may jump, and no gradient warns you.
# - A branch for one point gives it a value, and takes its slope away.
#
# Words to look up: [unrolling](glossary.ipynb#unrolling), [branch](glossary.ipynb#branch).
#
# Next, lesson 09: the same chain, walked in the other direction.

# %%
tf.progress("08")
