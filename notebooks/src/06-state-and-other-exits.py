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
# *A value can leave the tape through five doors, and look exactly the same when it comes back. Where are the doors?*
#
# About 35 minutes.

# %%
import numpy as np
import tapelab as tf

# %% [markdown]
# ## The first door: state
#
# A variable remembers a number. Many believe that it also remembers *where the number came from*. Three years of saving, at
# a rate of interest that we want to ask about:

# %%
rate = tf.Variable(0.1, name="rate")
balance = tf.Variable(100.0, name="balance")

with tf.GradientTape() as tape:
    for year in range(3):
        balance.assign(balance * (1.0 + rate) + 10.0)
    end = 1.0 * balance

print("at the end:", end.numpy())
print("slope:     ", tape.gradient(end, rate))
tf.explain(tape, end, rate)

# %% [markdown]
# `assign` copies numbers into the box. Whoever opens the box later finds numbers, and no history. The picture shows both
# halves: three years of records, and a reading at the end that starts anew. Step through it and look for the place
# where the line breaks.

# %%
tf.show(tape, end, rate)

# %% [markdown]
# The way out is not to use a box where a *value* will do. A plain name may mean a new tensor in every round, and each of
# these tensors is a link of the chain.
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
# When *is* `assign` right? For what should start anew: a step of training changes the weights **after** the gradient has
# been asked for, and the next step begins with a new tape.
#
# ## The second door: NumPy
#
# NumPy reads a tensor as if it were an array, computes, and hands back an array. It looks like the same program, and
# it is another engine, which keeps no tape.

# %%
x = tf.Variable([3.0, 1.0, 2.0], name="x")

with tf.GradientTape() as tape:
    y = tf.reduce_sum(np.tanh(x))

print(tape.gradient(y, x))
tf.explain(tape, y, x)

# %% [markdown]
# `float(x)`, `x.numpy()`, `np.asarray(x)`, `math.sqrt(x)`: all of them are the same door. To go out and *look* does no harm, as
# in `if float(loss) < 0.1:` or `print(x.numpy())`. The harm is done when what has left **comes back** as a number.
#
# ### Exercise 06.2: the podium
#
# Three results are sorted, and the best counts three times, the second twice. Mend the line that leaves, and keep `score`
# as it is. (What is the gradient of a sorted list? Let the tape tell.)

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
# ## The third door: yes or no
#
# How good is a classifier? Count how often it is right: that is its accuracy, and a natural thing to train for. Try it:

# %%
w = tf.Variable(0.5, name="w")
x = tf.constant([-2.0, -1.0, 1.0, 3.0])
label = tf.constant([0.0, 1.0, 1.0, 1.0])

with tf.GradientTape() as tape:
    p = tf.sigmoid(w * x)
    right = tf.equal(tf.round(p), label)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

print("accuracy:", accuracy.numpy(), " slope:", tape.gradient(accuracy, w))
tf.explain(tape, accuracy, w)

# %% [markdown]
# A yes or no has no slope: nudge `w` a little, and not one answer changes. Therefore one **measures** with a metric and **trains**
# with a loss that says *how far* off each answer is.
#
# ### Exercise 06.3: a loss instead of a metric
#
# Train the same classifier with the mean squared distance between `p` and `label`.

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
# ## The fourth door: a place in a variable
#
# It is tempting to prepare a variable of zeros and to fill it, place by place. Each of these writes is an `assign`, and you
# know what it forgets.
#
# ### Exercise 06.4: fill the slots
#
# `slots` should hold w, w² and w³. Fill it without writing into a variable. `tf.stack` makes one tensor of several.

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
# ## The fifth door: nobody asks
#
# The last one is no door in the tape, but in the question. `tf.Module` collects its variables for you, in
# `trainable_variables`: those that it holds itself, and those in its lists, dicts and other modules. Into a plain Python
# object it does not look.

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
# The tape has watched `weight`, and could tell its gradient. But who asks for the gradients of `model.trainable_variables` never
# hears of it, and `weight` stays as it was made, for ever. No `None`, no warning.
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
# ## What to take along
#
# - A variable keeps numbers, not where they came from. What must keep its history stays a tensor.
# - NumPy and Python read values and keep no tape. Look outside as often as you like; do not bring numbers back.
# - Decisions have no slope: measure with a metric, train with a loss.
# - Writing into places is an `assign`. `tf.stack` and `tf.tensor_scatter_nd_update` make a new tensor instead.
# - Variables that a module cannot find are never asked for.
#
# Words to look up: [state](glossary.ipynb#state), [side effect](glossary.ipynb#side-effect).
#
# Next, lesson 07: what the gradient of a vector is.

# %%
tf.progress("06")
