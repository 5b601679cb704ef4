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
#     lesson: "16"
#     minutes: 35
# ---

# %% [markdown]
# # 16 · Models and optimisers
#
# *A gradient says in which direction the loss grows. How do you get from there to a model that has learned
# something?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## The training loop
#
# Training repeats three steps: run the forward pass on a tape, compute the gradients, take a small step **down**.
# Here are twenty points near a line, and a model with two weights.

# %%
tf.random.set_seed(16)
x = tf.linspace(-1.0, 1.0, 20)
y = 3.0 * x - 1.0 + 0.1 * tf.random.normal([20])

w = tf.Variable(0.0, name="w")
b = tf.Variable(0.0, name="b")
optimizer = tf.keras.optimizers.SGD(0.5)
losses = []

for step in range(40):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(w * x + b - y))
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(gradients, [w, b]))
    losses.append(float(loss))

plt.semilogy(losses)
plt.xlabel("step")
plt.ylabel("loss")
plt.show()

# %% [markdown]
# The optimiser does not know your model. It gets **pairs** of a gradient and its variable, and takes the step. The
# tape computes the gradients. Here it is before the first step, with three points:

# %%
w, b = tf.Variable(0.0, name="w"), tf.Variable(0.0, name="b")
x, y = tf.constant([-1.0, 0.0, 1.0]), tf.constant([-4.0, -1.0, 2.0])

with tf.GradientTape() as tape:
    error = w * x + b - y
    loss = tf.reduce_mean(tf.square(error))

tf.show(tape, loss, [w, b])

# %% [markdown]
# ### Exercise 16.1: a parabola
#
# Train `a`, `b` and `c` of a·x² + b·x + c by gradient descent on the mean squared error, until the error of each is
# at most 0.05. The points are exactly on a parabola. Choose the number of steps and the learning rate.

# %%
@tf.exercise("16.1")
def parabola(xs, ys):
    xs, ys = tf.constant(xs), tf.constant(ys)
    a, b, c = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)
    ### BEGIN SOLUTION
    for _ in range(300):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(a * xs * xs + b * xs + c - ys))
        for variable, gradient in zip([a, b, c], tape.gradient(loss, [a, b, c])):
            variable.assign_sub(0.5 * gradient)
    return a, b, c
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("16.1")

# %% [markdown]
# ## Momentum
#
# Gradient descent does not use its earlier steps: in a narrow valley it jumps from one side to the other. With
# **momentum** each step keeps a part of the last one, like a rolling ball:
#
# > velocity ← momentum · velocity − rate · gradient
# >
# > weight ← weight + velocity
#
# ### Exercise 16.2: let it roll
#
# A weight starts at `start` with velocity 0, on f(w) = w². Return its value after `steps` steps with the given rate
# and momentum.

# %%
@tf.exercise("16.2")
def let_it_roll(start, steps, rate, momentum):
    w = tf.Variable(start)
    ### BEGIN SOLUTION
    velocity = 0.0
    for _ in range(steps):
        with tf.GradientTape() as tape:
            f = w * w
        velocity = momentum * velocity - rate * tape.gradient(f, w)
        w.assign_add(velocity)
    return w
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("16.2")

# %% [markdown]
# ## Adam
#
# Some weights have large gradients, others very small ones, but there is only one rate. **Adam** (Kingma and Ba,
# 2015) divides each gradient by its typical size. It keeps two averages for every weight: m of the gradient, and v of
# its square.
#
# > m ← 0.9 · m + 0.1 · g
# >
# > v ← 0.999 · v + 0.001 · g²
# >
# > weight ← weight − rate · (m / (1 − 0.9ᵗ)) / (√(v / (1 − 0.999ᵗ)) + 10⁻⁷)
#
# t counts the steps from 1. The divisors 1 − 0.9ᵗ and 1 − 0.999ᵗ correct for the fact that both averages start at 0.
#
# ### Exercise 16.3: how long is the first step?
#
# Think before you compute. A weight starts at 0, and Adam has the rate 0.1. How far does it move in its **first** step, when the gradient is 5, when it is 0.001, and when it
# is −200? (Put t = 1 in.)

# %%
@tf.exercise("16.3")
def first_step():
    ### BEGIN SOLUTION
    return {"5": -0.1, "0.001": -0.1, "-200": 0.1}
    ### INSTEAD
    return {"5": ..., "0.001": ..., "-200": ...}
    ### END SOLUTION

tf.check("16.3")

# %% [markdown]
# ## A `None` among the pairs
#
# Here is a model with a weight that is not used. What will the optimiser do with its `None`?

# %%
used, unused = tf.Variable(1.0, name="used"), tf.Variable(1.0, name="unused")

with tf.GradientTape() as tape:
    loss = tf.square(used - 3.0)

gradients = tape.gradient(loss, [used, unused])
print(gradients[1])
tf.explain(tape, loss, unused)

# %% [markdown]
# An optimiser skips a variable without a gradient, with a warning that is easy to miss. If *no* variable has a
# gradient, it raises an error. A `None` in a training loop is usually a mistake. Check for it **once, before the
# loop**, and do not filter it out.
#
# ### Exercise 16.4: who learns nothing?
#
# `variables` are the weights of a model, as a dict of names and numbers; the model computes `(first + second) *
# third` and ignores the rest. Return the names whose gradient is `None`, in alphabetical order.

# %%
@tf.exercise("16.4")
def who_learns_nothing(variables):
    weights = {name: tf.Variable(value) for name, value in variables.items()}
    with tf.GradientTape() as tape:
        y = (weights["first"] + weights["second"]) * weights["third"]
    ### BEGIN SOLUTION
    gradients = tape.gradient(y, weights)
    return sorted(name for name, gradient in gradients.items() if gradient is None)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("16.4")

# %% [markdown]
# ## Weights that should not change
#
# A `Module` or a Keras model collects its `trainable_variables` for you. A layer with `trainable = False` is not among them, and the tape does not even watch it.

# %%
model = tf.keras.Sequential([
    tf.keras.layers.Dense(4, activation="tanh", name="trunk"),
    tf.keras.layers.Dense(1, name="head"),
])
model.build([None, 2])
print(len(model.trainable_variables), "variables learn")

model.layers[0].trainable = False
print(len(model.trainable_variables), "variables learn")

# %% [markdown]
# ### Exercise 16.5: train only the head
#
# Take **one** step of gradient descent with the rate 0.1 on the loss (trunk · head − 6)², in which only `head`
# changes. Return both values.

# %%
@tf.exercise("16.5")
def train_the_head(trunk_value, head_value):
    ### BEGIN SOLUTION
    trunk = tf.Variable(trunk_value, trainable=False)
    ### INSTEAD
    trunk = tf.Variable(trunk_value)
    ### END SOLUTION
    head = tf.Variable(head_value)
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.square(trunk * head - 6.0)
    learns = [variable for variable in (trunk, head) if variable.trainable]
    ### BEGIN SOLUTION
    optimizer.apply_gradients(zip(tape.gradient(loss, learns), learns))
    return {"trunk": trunk, "head": head}
    ### INSTEAD
    return {"trunk": ..., "head": ...}  # after optimizer.apply_gradients(...)
    ### END SOLUTION

tf.check("16.5")

# %% [markdown]
# ## Summary
#
# - Training is: forward pass on a tape, gradients, a step down.
# - The optimiser gets pairs. It does not compute gradients, and does not notice that one is wrong.
# - Momentum keeps a part of the last step; Adam divides by the typical size.
# - Check for `None` before the loop. Freeze weights with `trainable=False`.
#
# Terms in the glossary: [loss](glossary.ipynb#loss), [optimiser](glossary.ipynb#optimiser), [momentum](glossary.ipynb#momentum).
#
# Next, lesson 17: two models that work against each other.

# %%
tf.progress("16")
