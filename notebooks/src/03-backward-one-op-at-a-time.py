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
#     lesson: "03"
#     minutes: 35
# ---

# %% [markdown]
# # 03 · Backward, one op at a time
#
# *A tape is a list of what ran. How does it become a gradient, and what happens where two paths meet?*
#
# About 35 minutes. You will need a pencil.

# %%
import tapelab as tf

# %% [markdown]
# ## Two numbers for every step
#
# Take `z = x * y + tf.sin(x)` at `x = 3`, `y = 4`. Click into the picture and press **b**: it jumps to the [backward
# pass](glossary.ipynb#backward-pass). Then go on slowly with **→**, and read the formula at each step.

# %%
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)

tf.show(tape, z)

# %% [markdown]
# Every step multiplies two numbers:
#
# > **upstream gradient × local derivative = contribution**
#
# - **upstream gradient**: how fast `z` grows when *this op's result* grows. It arrives from the right.
# - **local derivative**: how fast this op's result grows when *its input* grows. It depends on this op alone: for sin
#   it is cos, for `x * y` with respect to `x` it is `y`.
# - **contribution**: how fast `z` grows *through this op* when the input grows. It goes to the left.
#
# The first upstream gradient is 1: when `z` grows, `z` grows just as fast. To multiply derivatives along a path is
# the *chain rule* of calculus.
#
# Now look at `x`. It is used twice, so two contributions arrive: cos(3) = −0.99 from sin, and 4 from ×. They are
# **added**: 3.01.

# %%
print(tape.gradient(z, [x, y]))

# %% [markdown]
# ### Exercise 03.1: fill in the gradients
#
# By hand. Given `a = 2` and `b = 3`:
#
# | step | value |
# |---|---|
# | `u = a * b` | 6 |
# | `v = u + a` | 8 |
# | `w = v * v` | 64 |
#
# How fast does `w` grow when each of these values grows? Start at the end.

# %%
@tf.exercise("03.1")
def gradients_by_hand():
    ### BEGIN SOLUTION
    return {"v": 16.0, "u": 16.0, "b": 32.0, "a": 64.0}
    ### INSTEAD
    return {"v": ..., "u": ..., "b": ..., "a": ...}
    ### END SOLUTION

tf.check("03.1")

# %% [markdown]
# Now compare with the tape, step by step.

# %%
a = tf.Variable(2.0, name="a")
b = tf.Variable(3.0, name="b")

with tf.GradientTape() as tape:
    u = a * b
    v = u + a
    w = v * v

tf.show(tape, w)

# %% [markdown]
# ## Last in, first out
#
# The gradient of a value is **complete** when all ops that used the value have sent their contributions. Only then
# may it go on. How does the tape know when this is so? Every op that used a value ran *after* the value was made. So
# the backward pass visits the list **from the end to the start**, and every gradient is complete in time.
#
# ### Exercise 03.2: in which order?
#
# ```python
# p = tf.exp(x)
# q = p * x
# r = tf.sin(q)
# s = r + p
# ```
#
# In which order does the backward pass from `s` visit the four ops? Use the names `"exp"`, `"multiply"`, `"sin"`,
# `"add"`.

# %%
@tf.exercise("03.2")
def steps_back():
    ### BEGIN SOLUTION
    return ["add", "sin", "multiply", "exp"]
    ### INSTEAD
    return ...
    ### END SOLUTION

tf.check("03.2")

# %%
x = tf.Variable(0.5, name="x")

with tf.GradientTape() as tape:
    p = tf.exp(x)
    q = p * x
    r = tf.sin(q)
    s = r + p

tf.show(tape, s)

# %% [markdown]
# Look at `p`: the first contribution comes from + at the very start, but exp must wait. Until × has sent the other
# one, the gradient of `p` is not complete.
#
# ### Exercise 03.3: predict the next step
#
# The same `z = x * y + tf.sin(x)`, now at `x = 0`, `y = 4`. The backward pass has visited the addition. What does
# each of the next two steps contribute to `x`, and what is the gradient of `x` in the end?

# %%
@tf.exercise("03.3")
def next_steps():
    ### BEGIN SOLUTION
    return {"from sin": 1.0, "from multiply": 4.0, "at x": 5.0}
    ### INSTEAD
    return {"from sin": ..., "from multiply": ..., "at x": ...}
    ### END SOLUTION

tf.check("03.3")

# %%
x = tf.Variable(0.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)

tf.show(tape, z)

# %% [markdown]
# And `y`? Its gradient is `x`, which is 0. Zero is a gradient like any other: there is a path from `z` to `y`, and
# its derivative is 0 here. (If there were no path, the result would be `None`. That is lesson 05.)
#
# ## Gradient rules
#
# An op does not know the rest of the computation. It gets the upstream gradient and its inputs, and returns one
# contribution for each input. This function is its **gradient rule**; libraries also call it the
# [VJP](glossary.ipynb#VJP) of the op. Here is the rule of squaring:

# %%
def square_rule(upstream, a):
    return upstream * 2.0 * a


square_rule(upstream=10.0, a=3.0)

# %% [markdown]
# ### Exercise 03.4: three rules
#
# Write the rules of sin, × and ÷. `upstream`, `a` and `b` are tensors of the same shape; × and ÷ have two
# inputs, so they return a pair. No tape is needed.

# %%
@tf.exercise("03.4")
def rules(upstream, a, b):
    upstream, a, b = tf.constant(upstream), tf.constant(a), tf.constant(b)
    return {
        ### BEGIN SOLUTION
        "sin": upstream * tf.cos(a),
        "multiply": (upstream * b, upstream * a),
        "divide": (upstream / b, -upstream * a / (b * b)),
        ### INSTEAD
        "sin": ...,
        "multiply": ...,
        "divide": ...,
        ### END SOLUTION
    }

tf.check("03.4")

# %% [markdown]
# ## The whole backward pass
#
# You have all the parts now. A tape is a list of records. Here each record holds the name of an output, and its
# inputs with their local derivatives. This is `z = x * y + tf.sin(x)` at (3, 4):

# %%
records = [
    ("product", [("x", 4.0), ("y", 3.0)]),
    ("wave", [("x", -0.99)]),
    ("z", [("product", 1.0), ("wave", 1.0)]),
]

# %% [markdown]
# ### Exercise 03.5: your own backward pass
#
# Visit the records in reverse order and collect the gradient of every name in a dict. Three or four lines are enough.
# The classic mistake is to *overwrite* a gradient that is already there.

# %%
@tf.exercise("03.5")
def backward(records, target):
    gradients = {target: 1.0}
    for output, inputs in reversed(records):
        ### BEGIN SOLUTION
        upstream = gradients.get(output, 0.0)
        for name, local in inputs:
            gradients[name] = gradients.get(name, 0.0) + upstream * local
        ### INSTEAD
        ...
        ### END SOLUTION
    return gradients

tf.check("03.5")

# %%
backward(records, "z")

# %% [markdown]
# This loop is the core of every deep-learning library. The rest is speed, and more rules.
#
# ## Summary
#
# - Each backward step is **upstream gradient × local derivative = contribution**.
# - Where paths meet, contributions are **added**. Overwriting loses all but the last.
# - The backward pass visits the tape from its end to its start, so that a gradient is complete before it goes on.
# - A gradient rule depends on its own op and nothing else.
#
# Terms in the glossary: [upstream gradient](glossary.ipynb#upstream-gradient), [local derivative](glossary.ipynb#local-derivative), [contribution](glossary.ipynb#contribution), [cotangent](glossary.ipynb#cotangent), [fan-out](glossary.ipynb#fan-out), [gradient rule](glossary.ipynb#gradient-rule), [reverse mode](glossary.ipynb#reverse-mode).
#
# Next, lesson 04: what a tape records, and what it leaves out.

# %%
tf.progress("03")
