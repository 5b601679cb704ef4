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
#     lesson: "13"
#     minutes: 35
# ---

# %% [markdown]
# # 13 · Infinity, NaN and zero
#
# *The loss is an ordinary number, but the gradient is NaN. How can NaN appear in the backward pass if the forward
# pass has none?*
#
# About 35 minutes.

# %%
import tapelab as tf

# %% [markdown]
# ## The side that was not selected
#
# The square root has no derivative at 0: its curve is vertical there. So this program uses it only where x is
# positive, and 0 elsewhere:

# %%
x = tf.Variable([0.0, 4.0], name="x")

with tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.sqrt(x), 0.0)
    total = tf.reduce_sum(y)

print(y.numpy())
print(tape.gradient(total, x).numpy())
tf.explain(tape, total, x)

# %% [markdown]
# The values are correct: at 0 the root was not selected. But **both** sides were computed. In the backward pass
# `tf.where` sends 0 to the side that was not selected. This 0 arrives at the root and is multiplied by its
# derivative, 1 / (2√0): **0 · ∞ is NaN**. Step to the place where NaN first appears:

# %%
tf.show(tape, total, x)

# %% [markdown]
# It is not enough to select the good side. The bad number must never get **into** the root. So select twice: first a
# harmless input, then the result.
#
# ### Exercise 13.1: select twice
#
# Return the sum of 1/x over all elements that are not 0, and its gradient. The gradient is −1/x², and 0 where x is 0.

# %%
@tf.exercise("13.1")
def choose_twice(values):
    x = tf.Variable(values)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        safe = tf.where(x == 0.0, 1.0, x)
        y = tf.where(x == 0.0, 0.0, 1.0 / safe)
        ### INSTEAD
        y = tf.where(x == 0.0, 0.0, 1.0 / x)
        ### END SOLUTION
        total = tf.reduce_sum(y)
    ### BEGIN SOLUTION
    return {"sum": total, "gradient": tape.gradient(total, x)}
    ### INSTEAD
    return {"sum": ..., "gradient": ...}  # total, tape.gradient(total, x)
    ### END SOLUTION

tf.check("13.1")

# %% [markdown]
# ## Intermediate values that are too large
#
# log(eᵃ + eᵇ) is only a little larger than the larger of both numbers. But eᵃ may be larger than any float32:

# %%
scores = tf.Variable([10.0, 100.0], name="scores")

with tf.GradientTape() as tape:
    y = tf.math.log(tf.reduce_sum(tf.exp(scores)))

print(y.numpy(), tape.gradient(y, scores).numpy())

# %% [markdown]
# Subtract the largest number m first: log Σ eˣ = m + log Σ e^(x − m). Now the largest exponent is 0.
#
# ### Exercise 13.2: log-sum-exp
#
# Write it so that neither value nor gradient overflows. Return both. (`tf.reduce_logsumexp` does this; write it by
# hand here.)

# %%
@tf.exercise("13.2")
def log_sum_exp(values):
    x = tf.Variable(values)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        m = tf.reduce_max(x)
        y = m + tf.math.log(tf.reduce_sum(tf.exp(x - m)))
        ### INSTEAD
        y = tf.math.log(tf.reduce_sum(tf.exp(x)))
        ### END SOLUTION
    ### BEGIN SOLUTION
    return {"value": y, "gradient": tape.gradient(y, x)}
    ### INSTEAD
    return {"value": ..., "gradient": ...}  # y, tape.gradient(y, x)
    ### END SOLUTION

tf.check("13.2")

# %% [markdown]
# ## From scores, not from probabilities
#
# A classifier computes a score z; the probability is p = sigmoid(z), and for the label 1 the loss is −log p. With a
# score of −200 the classifier is certain and wrong. Its gradient should be large:

# %%
z = tf.Variable([-2.0, -200.0], name="z")

with tf.GradientTape() as tape:
    loss = -tf.math.log(tf.sigmoid(z))

print("loss:    ", loss.numpy())
print("gradient:", tape.gradient(loss, z).numpy())

# %% [markdown]
# sigmoid(−200) is 0 in float32, log 0 is −∞, and the gradient is lost. **Together** the two are harmless: −log
# sigmoid(z) = log(1 + e^(−z)), which is about −z for large negative z. Losses that take scores do this inside:
# `tf.nn.sigmoid_cross_entropy_with_logits`, or `from_logits=True`.
#
# ### Exercise 13.3: from the score
#
# Return loss and gradient for the scores `z`, with the label 1 for all. Both must be correct even at −200. One
# function of TensorFlow is enough.

# %%
@tf.exercise("13.3")
def from_the_score(z):
    z = tf.Variable(z)
    label = tf.ones_like(z)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=z)
        ### INSTEAD
        loss = -label * tf.math.log(tf.sigmoid(z))
        ### END SOLUTION
    ### BEGIN SOLUTION
    return {"loss": loss, "gradient": tape.gradient(loss, z)}
    ### INSTEAD
    return {"loss": ..., "gradient": ...}  # loss, tape.gradient(loss, z)
    ### END SOLUTION

tf.check("13.3")

# %% [markdown]
# ## The length of a zero vector
#
# The length of a vector is the root of a sum of squares. At the zero vector the derivative of the root is ∞ and that
# of the squares is 0: ∞ · 0. This is not rare, for example with a penalty on the length of weights that start at
# zero.

# %%
w = tf.Variable([0.0, 0.0], name="w")

with tf.GradientTape() as tape:
    length = tf.norm(w)

print(tape.gradient(length, w).numpy())

# %% [markdown]
# ### Exercise 13.4: the length of zero
#
# Return the gradient of the length of `w`. It must be 0 at the zero vector, and unchanged elsewhere.

# %%
@tf.exercise("13.4")
def length_of_nothing(values):
    w = tf.Variable(values)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        squares = tf.reduce_sum(w * w)
        safe = tf.where(squares > 0.0, squares, 1.0)
        length = tf.where(squares > 0.0, tf.sqrt(safe), 0.0)
        ### INSTEAD
        length = tf.norm(w)
        ### END SOLUTION
    return tape.gradient(length, w)

tf.check("13.4")

# %% [markdown]
# ## Intermediate values that are too small
#
# The opposite of overflow is **underflow**. A number below about 6 · 10⁻⁸ becomes 0 in float16, without a warning.
# Gradients are often that small, and models are often trained in float16 because it is fast.

# %%
for power in range(-2, -10, -2):
    g = tf.constant(10.0**power, tf.float16)
    print(f"1e{power} in float16: {float(g):.2e}")

# %% [markdown]
# The solution is simple: multiply the *loss* by 1024, and all gradients are 1024 times as large. At the end, divide
# them by 1024 in float32. This is **loss scaling**.
#
# ### Exercise 13.5: loss scaling
#
# The gradient of this loss is lost in float16. Scale the loss, take the gradient, and scale back in float32.

# %%
@tf.exercise("13.5")
def loss_scaling(small):
    x = tf.Variable(1.0, dtype=tf.float16)
    with tf.GradientTape() as tape:
        y = x * tf.constant(small, tf.float16)
        loss = tf.cast(y, tf.float32) * 1e-4
        ### BEGIN SOLUTION
        scaled = loss * 1024.0 * 16.0
    return tf.cast(tape.gradient(scaled, x), tf.float32) / (1024.0 * 16.0)
        ### INSTEAD
    return tape.gradient(loss, x)
        ### END SOLUTION

tf.check("13.5")

# %% [markdown]
# ## Summary
#
# - 0 · ∞ is NaN, and both sides of a `tf.where` are computed. Select the input, too.
# - Subtract the largest number before you exponentiate.
# - Pass scores to a loss, not probabilities.
# - A number that is too small becomes 0, without a warning. Scale the loss.
#
# Terms in the glossary: [underflow](glossary.ipynb#underflow), [loss scaling](glossary.ipynb#loss-scaling).
#
# Next, lesson 14: what a hundred layers do to a gradient.

# %%
tf.progress("13")
