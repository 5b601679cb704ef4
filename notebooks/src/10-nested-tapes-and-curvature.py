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
#     lesson: "10"
#     minutes: 35
# ---

# %% [markdown]
# # 10 · Nested tapes and curvature
#
# *A gradient is a number that was computed. Then what is the gradient of a gradient?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## The way back is a computation, too
#
# When a tape goes back, it multiplies and adds. These are operations like any others, and if **another tape** is open at the time, it
# writes them down. So the answer of the inner tape has a history of its own:

# %%
x = tf.Variable(2.0, name="x")

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)

print("y      =", y.numpy())
print("slope  =", slope.numpy(), "(3x²)")
print("bend   =", outer.gradient(slope, x).numpy(), "(6x)")

# %% [markdown]
# The second derivative tells how the slope itself changes: how much the function **bends**. Step through the outer tape. After the two
# multiplications you wrote come operations that you did not write: the way back of the inner tape, recorded.

# %%
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)

tf.show(outer, slope)

# %% [markdown]
# ### Exercise 10.1: the bend of a wave
#
# Return the second derivative of x · sin(x).

# %%
@tf.exercise("10.1")
def bend_of_a_wave(value):
    x = tf.Variable(value)
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * tf.sin(x)
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("10.1")

# %% [markdown]
# ## The outer tape has to be there
#
# Here is the most frequent mistake with two tapes. It looks nearly the same:

# %%
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x

slope = inner.gradient(y, x)

print("slope =", slope.numpy())
print("bend  =", outer.gradient(slope, x))
tf.explain(outer, slope, x)

# %% [markdown]
# When the inner tape went back, the outer one was closed already. The slope is right, but to the outer tape it is just a number. Two
# columns of indentation decide.
#
# ### Exercise 10.2: it was closed
#
# This penalty on the slope trains nothing. Mend it: return tape, target and source, so that the gradient arrives.

# %%
@tf.exercise("10.2")
def it_was_closed():
    w = tf.Variable(2.0, name="w")
    x = tf.Variable(1.5, name="x")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.square(w * x)
        ### BEGIN SOLUTION
        slope = inner.gradient(y, x)
        penalty = tf.square(slope - 1.0)
        ### INSTEAD
    slope = inner.gradient(y, x)
    penalty = tf.square(slope - 1.0)
        ### END SOLUTION
    return outer, penalty, w

tf.check("10.2")

# %% [markdown]
# ## Two variables, four second derivatives
#
# With several variables the bends form a table, the **Hessian**: how the slope along one variable reacts to another. The entries off
# the diagonal are the *mixed* ones.
#
# ### Exercise 10.3: mixed
#
# f(x, y) = x² · y³. Return how the slope **along x** reacts to **y**.

# %%
@tf.exercise("10.3")
def mixed(x_value, y_value):
    x, y = tf.Variable(x_value), tf.Variable(y_value)
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            f = x**2 * y**3
        along_x = inner.gradient(f, x)
    return outer.gradient(along_x, y)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("10.3")

# %% [markdown]
# ## A table that nobody can store
#
# A model with a million weights has a Hessian of a million times a million numbers. Nobody can store it, and mostly nobody needs to: one wants
# to know how the gradient changes **in one direction** v. That is the Hessian *times v*, a vector as long as the weights.
#
# The trick: g · v, the gradient times a fixed v, is a single number. *Its* gradient is the Hessian times v. Two ways back, whatever the size.
#
# ### Exercise 10.4: Hessian times vector
#
# `f` is given. Return the product of its Hessian at `place` and the vector `v`, without computing the Hessian.

# %%
def f(x):
    return tf.reduce_sum(x**4) / 12.0 + x[0] * x[1] * x[2]

@tf.exercise("10.4")
def hessian_times(place, v):
    x, v = tf.Variable(place), tf.constant(v)
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
        along = tf.reduce_sum(slope * v)
    return outer.gradient(along, x)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("10.4")

# %% [markdown]
# ## What a bend is good for
#
# Gradient descent sees the slope, and has to be told how far to go. Who also knows the bend can reckon where the slope will be zero: go
# **slope / bend** to the other side. That is Newton's step. Watch how they walk down the same valley:

# %%
def valley(x):
    return tf.exp(x) - 2.0 * x

def slope_and_bend(value):
    x = tf.Variable(value)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = valley(x)
        slope = inner.gradient(y, x)
    return slope.numpy(), outer.gradient(slope, x).numpy()

places = {"gradient descent": [3.0], "Newton": [3.0]}
for _ in range(8):
    slope, _bend = slope_and_bend(places["gradient descent"][-1])
    places["gradient descent"].append(places["gradient descent"][-1] - 0.1 * slope)
    slope, bend = slope_and_bend(places["Newton"][-1])
    places["Newton"].append(places["Newton"][-1] - slope / bend)

for name, walked in places.items():
    plt.semilogy([abs(valley(tf.constant(p)) - (2 - 2 * 0.6931472)) + 1e-9 for p in walked], "o-", label=name)
plt.xlabel("step")
plt.ylabel("height above the bottom")
plt.legend()
plt.show()

# %% [markdown]
# ### Exercise 10.5: Newton's step
#
# Start at `start`, do `steps` of Newton's steps for f(x) = x² + 1/x, and return where you are.

# %%
@tf.exercise("10.5")
def newton(start, steps):
    x = tf.Variable(start)
    for _ in range(steps):
        ### BEGIN SOLUTION
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x + 1.0 / x
            slope = inner.gradient(y, x)
        x.assign_sub(slope / outer.gradient(slope, x))
        ### INSTEAD
        ...
        ### END SOLUTION
    ### BEGIN SOLUTION
    return x
    ### INSTEAD
    return ...  # x
    ### END SOLUTION

tf.check("10.5")

# %% [markdown]
# ## What to take along
#
# - The way back is made of operations. An outer tape that is open records them.
# - `inner.gradient(…)` belongs **inside** the block of the outer tape.
# - Second derivatives tell how a function bends; mixed ones, how slopes react to each other.
# - Hessian times vector: the gradient of (gradient · v). Never build the table.
#
# Words to look up: [nested tapes](glossary.ipynb#nested-tapes), [Hessian](glossary.ipynb#Hessian), [Hessian-vector product](glossary.ipynb#Hessian-vector-product).
#
# Next, lesson 11: valves, and rules of your own.

# %%
tf.progress("10")
