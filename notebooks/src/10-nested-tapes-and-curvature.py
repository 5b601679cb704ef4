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
# *A gradient is computed by operations, like any value. So what is the gradient of a gradient?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## The backward pass is a computation, too
#
# The backward pass of a tape multiplies and adds. These are operations like any others, and if **another tape** is
# active, it records them. So you can differentiate the gradient that the inner tape returns:

# %%
x = tf.Variable(2.0, name="x")

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    derivative = inner.gradient(y, x)

print("y      =", y.numpy())
print("first derivative: ", derivative.numpy(), "(3x²)")
print("second derivative:", outer.gradient(derivative, x).numpy(), "(6x)")

# %% [markdown]
# The second derivative says how fast the derivative itself changes. It describes the **curvature** of the function.
# Step through the outer tape. After your two multiplications come operations that you did not write: the backward
# pass of the inner tape.

# %%
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    derivative = inner.gradient(y, x)

tf.show(outer, derivative)

# %% [markdown]
# ### Exercise 10.1: the curvature of a wave
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
        derivative = inner.gradient(y, x)
    return outer.gradient(derivative, x)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("10.1")

# %% [markdown]
# ## The outer tape must be active
#
# Here is the most frequent mistake with two tapes. The code looks almost the same:

# %%
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x

derivative = inner.gradient(y, x)

print("first derivative: ", derivative.numpy())
print("second derivative:", outer.gradient(derivative, x))
tf.explain(outer, derivative, x)

# %% [markdown]
# The outer tape was already closed when the inner `gradient` ran. The first derivative is correct, but the outer tape
# did not record how it was computed. The indentation makes the difference.
#
# ### Exercise 10.2: it was closed
#
# This penalty on a derivative trains nothing. Fix it: return tape, target and source, so that the gradient arrives.

# %%
@tf.exercise("10.2")
def it_was_closed():
    w = tf.Variable(2.0, name="w")
    x = tf.Variable(1.5, name="x")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.square(w * x)
        ### BEGIN SOLUTION
        derivative = inner.gradient(y, x)
        penalty = tf.square(derivative - 1.0)
        ### INSTEAD
    derivative = inner.gradient(y, x)
    penalty = tf.square(derivative - 1.0)
        ### END SOLUTION
    return outer, penalty, w

tf.check("10.2")

# %% [markdown]
# ## Two variables, four second derivatives
#
# With several variables the second derivatives form a matrix, the **Hessian**: how the derivative with respect to one
# variable changes with another. The elements off the diagonal are the *mixed* derivatives.
#
# ### Exercise 10.3: mixed
#
# f(x, y) = x² · y³. Return the derivative with respect to **y** of the derivative with respect to **x**.

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
# ## A matrix that is too large to store
#
# A model with a million weights has a Hessian of a million times a million numbers. It is too large to store, and
# usually you do not need it. You want to know how the gradient changes **in one direction** v. That is the Hessian
# *times v*, a vector as long as the weights.
#
# The trick: g · v, the gradient times a fixed v, is a single number. *Its* gradient is the Hessian times v. This
# takes two backward passes, whatever the size.
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
        derivative = inner.gradient(y, x)
        along = tf.reduce_sum(derivative * v)
    return outer.gradient(along, x)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("10.4")

# %% [markdown]
# ## What second derivatives are good for
#
# Gradient descent uses only the first derivative, and needs a step size from you. With the second derivative you can
# estimate where the first one is zero: move by **−f′ / f″**. This is Newton's step. Compare both methods on the same
# function:

# %%
def valley(x):
    return tf.exp(x) - 2.0 * x

def both_derivatives(value):
    x = tf.Variable(value)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = valley(x)
        derivative = inner.gradient(y, x)
    return derivative.numpy(), outer.gradient(derivative, x).numpy()

places = {"gradient descent": [3.0], "Newton": [3.0]}
for _ in range(8):
    derivative, _second = both_derivatives(places["gradient descent"][-1])
    places["gradient descent"].append(places["gradient descent"][-1] - 0.1 * derivative)
    derivative, second = both_derivatives(places["Newton"][-1])
    places["Newton"].append(places["Newton"][-1] - derivative / second)

for name, walked in places.items():
    plt.semilogy([abs(valley(tf.constant(p)) - (2 - 2 * 0.6931472)) + 1e-9 for p in walked], "o-", label=name)
plt.xlabel("step")
plt.ylabel("height above the bottom")
plt.legend()
plt.show()

# %% [markdown]
# ### Exercise 10.5: Newton's step
#
# Start at `start`, take `steps` Newton steps for f(x) = x² + 1/x, and return the final x.

# %%
@tf.exercise("10.5")
def newton(start, steps):
    x = tf.Variable(start)
    for _ in range(steps):
        ### BEGIN SOLUTION
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x + 1.0 / x
            derivative = inner.gradient(y, x)
        x.assign_sub(derivative / outer.gradient(derivative, x))
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
# ## Summary
#
# - The backward pass consists of operations. An active outer tape records them.
# - `inner.gradient(…)` belongs **inside** the block of the outer tape.
# - Second derivatives describe the curvature of a function. All of them together are the Hessian.
# - Hessian times vector is the gradient of (gradient · v). You do not need the Hessian itself.
#
# Terms in the glossary: [nested tapes](glossary.ipynb#nested-tapes), [Hessian](glossary.ipynb#Hessian), [Hessian-vector product](glossary.ipynb#Hessian-vector-product).
#
# Next, lesson 11: stopped gradients, and rules of your own.

# %%
tf.progress("10")
