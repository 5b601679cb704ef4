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
# *A tape knows what ran. How does it turn that list into a gradient, and what happens where two paths meet?*
#
# About 35 minutes. Have a pencil at hand.

# %%
import tapelab as tf

# %% [markdown]
# ## Two numbers for every step
#
# Take `z = x * y + tf.sin(x)` at `x = 3`, `y = 4`. Click into the picture and press **b**: it jumps to the way
# back. Then go on with **→**, slowly, and read the formula at each step.

# %%
x = tf.Variable(3.0, name="x")
y = tf.Variable(4.0, name="y")

with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)

tf.show(tape, z)

# %% [markdown]
# Every step multiplies two numbers:
#
# > **upstream × local = contribution**
#
# - **upstream**: how fast `z` grows when *this op's result* grows. It has come back from the right.
# - **local**: how fast this op's result grows when *its input* grows. The op knows it by itself: for sin it
#   is cos, for `x * y` along `x` it is `y`.
# - **contribution**: how fast `z` grows when the input grows *by this way*. It goes to the left.
#
# It starts with upstream 1: when `z` grows, `z` grows just as fast.
#
# And look at `x`. It is used twice, so two contributions arrive: cos(3) = −0.99 from sin, and 4 from ×. They
# **add**: 3.01.

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
# How fast does `w` grow when each of these grows? Start at the end.

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
# A gradient may leave a value only when it is **complete**, that is when all that used the value have sent
# their contributions. How does the tape know? It need not look far: whatever used a value ran *after* the
# value was made. So it walks its list **from the end to the start**, and everything is complete in time.
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
# In which order does the gradient of `s` pass the four ops? Use the names `"exp"`, `"multiply"`, `"sin"`, `"add"`.

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
# Look at `p`: the first contribution comes from + at the very start, but exp must wait. Until × has sent the
# other one, the gradient of `p` is half-way.
#
# ### Exercise 03.3: predict the next step
#
# The same `z = x * y + tf.sin(x)`, now at `x = 0`, `y = 4`. The way back has passed the addition. What does
# each of the next two steps bring to `x`, and what does `x` end up with?

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
# And `y`? Its gradient is `x`, which is 0. Zero is an answer like any other: there is a path from `z` to `y`,
# and here it is flat. (No path at all would be `None`. That is lesson 05.)
#
# ## Rules
#
# An op does not know where it stands in a computation. It gets `upstream`, knows its inputs, and returns one
# contribution per input. That function is its **gradient rule**. The rule of squaring, for example:

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
# ## The whole machine
#
# You have all the parts now. A tape is a list of records. Here each record says which output was made, and from
# which inputs with which local slope. This is `z = x * y + tf.sin(x)` at (3, 4):

# %%
records = [
    ("product", [("x", 4.0), ("y", 3.0)]),
    ("wave", [("x", -0.99)]),
    ("z", [("product", 1.0), ("wave", 1.0)]),
]

# %% [markdown]
# ### Exercise 03.5: a way back of your own
#
# Walk back over the records and collect the gradient of every name in a dict. Three or four lines are enough.
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
# That loop is what happens in every deep-learning library. The rest is speed, and more rules.
#
# ## What to take along
#
# - Each step back is **upstream × local = contribution**.
# - Where paths meet, contributions **add**. Overwriting loses all but the last.
# - The tape is walked from its end to its start, so that a gradient is complete before it moves on.
# - A gradient rule knows its own op and nothing else.
#
# Words to look up: [upstream](glossary.ipynb#upstream), [local slope](glossary.ipynb#local-slope), [contribution](glossary.ipynb#contribution), [adjoint](glossary.ipynb#adjoint), [fan-out](glossary.ipynb#fan-out), [gradient rule](glossary.ipynb#gradient-rule), [reverse mode](glossary.ipynb#reverse-mode).
#
# Next, lesson 04: what a tape follows, and what it passes by.

# %%
tf.progress("03")
