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
#     lesson: "06"
#     minutes: 35
# ---

# %% [markdown]
# # 06 · State, NumPy and other exits
#
# *There are five ways in which a value leaves the tape and comes back with no gradient. Which ones?*
#
# About 35 minutes.

# %%
import numpy as np
import tapelab as tf

# %% [markdown]
# ## First: state
#
# A variable keeps a number. It does not keep *how the number was computed*. Here are three years of saving. We want
# the derivative of the final balance with respect to the interest rate:

# %%
rate = tf.Variable(0.1, name="rate")
balance = tf.Variable(100.0, name="balance")

with tf.GradientTape() as tape:
    for year in range(3):
        balance.assign(balance * (1.0 + rate) + 10.0)
    end = 1.0 * balance

print("at the end:", end.numpy())
print("gradient:  ", tape.gradient(end, rate))
tf.explain(tape, end, rate)

# %% [markdown]
# `assign` copies numbers into the variable. When you read the variable later, you get numbers, not the operations
# that made them. The picture shows both parts: three years of records, and a read at the end that starts a new path.
# Step through it and find the place where the path ends.

# %%
tf.show(tape, end, rate)

# %% [markdown]
# The solution: do not use a variable where a *value* is enough. A plain name can refer to a new tensor in every
# iteration, and all these tensors are on the path.
#
# ### Exercise 06.1: three years of saving
#
# Rewrite the loop so that the gradient with respect to `rate` arrives. The balance at the end must stay 166.2.

# %%
@tf.exercise("06.1")
def three_years():
    rate = tf.Variable(0.1, name="rate")
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        balance = tf.constant(100.0)
        for year in range(3):
            balance = balance * (1.0 + rate) + 10.0
        end = 1.0 * balance
    ### INSTEAD
    balance = tf.Variable(100.0, name="balance")
    with tf.GradientTape() as tape:
        for year in range(3):
            balance.assign(balance * (1.0 + rate) + 10.0)
        end = 1.0 * balance
    ### END SOLUTION
    return tape, end, rate

tf.check("06.1")

# %% [markdown]
# When is `assign` correct? When a new path should start: a training step changes the weights **after** the gradient
# was computed, and the next step uses a new tape.
#
# ## Second: NumPy
#
# NumPy reads a tensor as an array, computes, and returns an array. It looks the same, but NumPy has no tape.

# %%
x = tf.Variable([3.0, 1.0, 2.0], name="x")

with tf.GradientTape() as tape:
    y = tf.reduce_sum(np.tanh(x))

print(tape.gradient(y, x))
tf.explain(tape, y, x)

# %% [markdown]
# `float(x)`, `x.numpy()`, `np.asarray(x)` and `math.sqrt(x)` all do the same: they leave the tape. It is harmless to
# *look* at a value, as in `if float(loss) < 0.1:` or `print(x.numpy())`. The gradient is lost when the value **comes
# back** as a number.
#
# ### Exercise 06.2: the podium
#
# Three results are sorted. The best one counts three times, the second one twice. Fix the line that leaves the tape,
# and keep `score` the same. (What is the gradient of a sorted list? The tape will show you.)

# %%
@tf.exercise("06.2")
def podium():
    results = tf.Variable([3.0, 1.0, 2.0], name="results")
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        ranked = tf.sort(results)
        ### INSTEAD
        ranked = np.sort(results.numpy())
        ### END SOLUTION
        score = tf.reduce_sum(ranked * tf.constant([1.0, 2.0, 3.0]))
    return tape, score, results

tf.check("06.2")

# %% [markdown]
# ## Third: decisions
#
# How good is a classifier? Its accuracy says how often it is right. It seems natural to train for accuracy. Try it:

# %%
w = tf.Variable(0.5, name="w")
x = tf.constant([-2.0, -1.0, 1.0, 3.0])
label = tf.constant([0.0, 1.0, 1.0, 1.0])

with tf.GradientTape() as tape:
    p = tf.sigmoid(w * x)
    right = tf.equal(tf.round(p), label)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

print("accuracy:", accuracy.numpy(), " gradient:", tape.gradient(accuracy, w))
tf.explain(tape, accuracy, w)

# %% [markdown]
# The derivative of a decision is 0 almost everywhere, so it is of no use: when `w` changes a little, no decision
# changes. Therefore you **measure** with a metric and **train** with a loss, which says *how far* each output is from
# its label.
#
# ### Exercise 06.3: a loss instead of a metric
#
# Train the same classifier with the mean squared error between `p` and `label`.

# %%
@tf.exercise("06.3")
def a_loss():
    w = tf.Variable(0.5, name="w")
    x = tf.constant([-2.0, -1.0, 1.0, 3.0])
    label = tf.constant([0.0, 1.0, 1.0, 1.0])
    with tf.GradientTape() as tape:
        p = tf.sigmoid(w * x)
        ### BEGIN SOLUTION
        loss = tf.reduce_mean(tf.square(p - label))
        ### INSTEAD
        loss = tf.reduce_mean(tf.cast(tf.equal(tf.round(p), label), tf.float32))
        ### END SOLUTION
    return tape, loss, w

tf.check("06.3")

# %% [markdown]
# ## Fourth: an element of a variable
#
# It is tempting to make a variable of zeros and fill it element by element. Each of these writes is an `assign`, so
# each one starts a new path.
#
# ### Exercise 06.4: fill the slots
#
# `slots` should hold w, w² and w³. Make it without writing into a variable. `tf.stack` joins several tensors into
# one.

# %%
@tf.exercise("06.4")
def fill_the_slots():
    w = tf.Variable(2.0, name="w")
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        slots = tf.stack([w, w * w, w * w * w])
        y = tf.reduce_sum(slots)
    ### INSTEAD
    slots = tf.Variable([0.0, 0.0, 0.0], name="slots")
    with tf.GradientTape() as tape:
        slots[0].assign(w)
        slots[1].assign(w * w)
        slots[2].assign(w * w * w)
        y = tf.reduce_sum(slots)
    ### END SOLUTION
    return tape, y, w

tf.check("06.4")

# %% [markdown]
# ## Fifth: a variable that is not found
#
# In the last case the tape is correct, but you never ask for the gradient. `tf.Module` collects its variables in
# `trainable_variables`. It finds its own variables, and those in its lists, dicts and modules. It does not look into
# a plain Python object.

# %%
class Plain:
    def __init__(self):
        self.weight = tf.Variable(3.0, name="weight")

class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer = Plain()
        self.bias = tf.Variable(1.0, name="bias")

    def __call__(self, x):
        return self.layer.weight * x + self.bias

model = Model()
print([variable.name for variable in model.trainable_variables])

# %% [markdown]
# The tape watched `weight`, so it could compute its gradient. But if you ask for the gradients with respect to
# `model.trainable_variables`, `weight` is not among them. It keeps its first value for ever, without a `None` and
# without a warning.
#
# ### Exercise 06.5: found again
#
# Change one word, so that the model finds both variables. The function returns their gradients, `bias` first.

# %%
@tf.exercise("06.5")
def found_again(weight):
    ### BEGIN SOLUTION
    class Layer(tf.Module):
    ### INSTEAD
    class Layer:
    ### END SOLUTION
        def __init__(self):
            self.weight = tf.Variable(weight, name="weight")

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer()
            self.bias = tf.Variable(1.0, name="bias")

    model = Model()
    with tf.GradientTape() as tape:
        y = tf.square(model.layer.weight * 2.0 + model.bias)
    return tape.gradient(y, model.trainable_variables)

tf.check("06.5")

# %% [markdown]
# ## Summary
#
# - A variable keeps numbers, not how they were computed. Use a tensor where the gradient must pass.
# - NumPy and Python have no tape. You may look at values there; do not bring them back as numbers.
# - Decisions have no useful derivative: measure with a metric, train with a loss.
# - Writing into an element is an `assign`. `tf.stack` and `tf.tensor_scatter_nd_update` make a new tensor instead.
# - A variable that a module does not find is never trained.
#
# Terms in the glossary: [state](glossary.ipynb#state), [side effect](glossary.ipynb#side-effect).
#
# Next, lesson 07: the gradient of a vector.

# %%
tf.progress("06")
