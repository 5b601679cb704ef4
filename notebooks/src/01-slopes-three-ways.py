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
#     lesson: "01"
#     minutes: 35
# ---

# %% [markdown]
# # 01 · Derivatives three ways
#
# *How does a computer find a derivative: by small steps, by algebra, or in a third way?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# The [derivative](glossary.ipynb#derivative) of a function at a point says how fast the function grows there. It is
# the slope of the curve. Here is a curved function. We want its derivative at `x = 1`. This time we know the result:
# the product rule gives cos(x) · e^x + sin(x) · e^x. All numbers in this lesson are `float64`, with about 16 digits.

# %%
def bendy(x):
    return tf.sin(x) * tf.exp(x)

def true_derivative(x):
    return tf.cos(x) * tf.exp(x) + tf.sin(x) * tf.exp(x)

x = tf.constant(1.0, tf.float64)
print(bendy(x).numpy(), true_derivative(x).numpy())

# %% [markdown]
# ## The first way: a small step
#
# Change `x` by a small step `h`, see how much the function changes, and divide. Is a smaller step always better?
# Decide before you run this: which of the steps gives the smallest error?

# %%
def forward_difference(x, h):
    return (bendy(x + h) - bendy(x)) / h

for h in [1e-1, 1e-4, 1e-8, 1e-12, 1e-15]:
    error = abs(forward_difference(x, h) - true_derivative(x))
    print(f"h = {h:.0e}   error = {error:.1e}")

# %% [markdown]
# The error decreases, and then it increases again. Here are more steps, on two logarithmic axes:

# %%
steps = [10.0 ** -(k / 4) for k in range(4, 64)]
errors = [abs(forward_difference(x, h) - true_derivative(x)) for h in steps]

plt.loglog(steps, errors, ".-")
plt.xlabel("step h")
plt.ylabel("error of the derivative")
plt.title("Step too large on the right, too few digits on the left")
plt.show()

# %% [markdown]
# There are two errors, and they behave in opposite ways.
#
# - On the right the step is **too large**: the function is curved between the two points. This *truncation error* is
#   about `h`.
# - On the left the step is **too small**: `bendy(x + h)` and `bendy(x)` agree in nearly all their digits, so the
#   difference has only a few correct ones. This *rounding error* grows like `1 / h`.
#
# At best, about half of the digits are correct. A step to *both* sides is better, because part of the truncation
# error cancels: (f(x + h) − f(x − h)) / 2h. This is the *central difference*.
#
# ### Exercise 01.1: to both sides
#
# Write the central difference of `bendy`.

# %%
@tf.exercise("01.1")
def central_difference(x, h):
    x = tf.constant(x, tf.float64)
    ### BEGIN SOLUTION
    return (bendy(x + h) - bendy(x - h)) / (2 * h)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("01.1")

# %% [markdown]
# ### Exercise 01.2: the best step
#
# Which step is best: 10⁻², 10⁻⁵, 10⁻⁸ or 10⁻¹³? Answer with the exponent, −2, −5, −8 or −13. Think before you
# compute:
#
# - `"forward"`: the forward difference, in float64. Its two errors are about `h` and `1e-16 / h`.
# - `"central"`: the central difference, in float64. Its two errors are about `h²` and `1e-16 / h`.
# - `"float32"`: the central difference in float32, which has 7 digits: `h²` and `1e-7 / h`.

# %%
@tf.exercise("01.2")
def best_steps():
    ### BEGIN SOLUTION
    return {"forward": -8, "central": -5, "float32": -2}
    ### INSTEAD
    return {"forward": ..., "central": ..., "float32": ...}
    ### END SOLUTION

tf.check("01.2")

# %% [markdown]
# ### Without a difference
#
# The digits are lost in the *difference* of two nearly equal numbers. A trick avoids it: take a step in the
# **imaginary** direction. For a smooth function, f(x + ih) is about f(x) + ih · f′(x). The derivative is in the
# imaginary part, and there is nothing to subtract. The step can be as small as you like.
#
# ### Exercise 01.3: the complex step
#
# `tf.complex(a, b)` makes a complex number, `tf.math.imag(z)` returns its imaginary part, and `bendy` accepts complex
# numbers. Return the derivative at `x`, with `h = 1e-30`.

# %%
@tf.exercise("01.3")
def complex_step(x):
    x = tf.constant(x, tf.float64)
    h = tf.constant(1e-30, tf.float64)
    ### BEGIN SOLUTION
    return tf.math.imag(bendy(tf.complex(x, h))) / h
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("01.3")

# %% [markdown]
# All digits are correct. But this needs one run for each input, and a function that accepts complex numbers. `tf.abs`
# and `tf.maximum` do not give such a result.
#
# ## The second way: algebra
#
# On paper you *rewrite* the formula by rules: the product rule, the chain rule. A program can do that, too. This is
# [symbolic differentiation](glossary.ipynb#symbolic-differentiation). Here a formula is a small tree: `("*", a, b)`
# is a product, `("x",)` is x.

# %%
def derived(f):
    if f == ("x",):
        return ("1",)
    kind, a, b = f
    return ("+", ("*", derived(a), b), ("*", a, derived(b)))

def drawn(f, indent=""):
    print(indent + f[0])
    for part in f[1:]:
        drawn(part, indent + "    ")

drawn(derived(("*", ("x",), ("*", ("x",), ("x",)))))

# %% [markdown]
# This is the derivative of x · (x · x), and it is correct. Now look at the cost. Here is a product with more and more
# factors, and the size of its derivative:

# %%
def size(f):
    return 1 + sum(size(part) for part in f[1:])

product = ("x",)
for factors in range(2, 65):
    product = ("*", ("x",), product)
    if factors in (2, 4, 8, 16, 32, 64):
        print(f"{factors:3} factors: formula {size(product):4}, derivative {size(derived(product)):5}")

# %% [markdown]
# With twice as many factors the formula is four times as long, because the same parts are repeated. And a formula has
# no loops, no `if`, no functions that call each other. A program is not a formula.
#
# ## The third way: compute the derivative with the value
#
# Do not rewrite the function. Let *each number carry its own derivative*: every operation computes its value, and the
# derivative of its value. Such a pair is a **dual number**.
#
# Take `a = 3` with derivative 1 and `b = 4` with derivative 0. What is `a + b`? Values are added, derivatives are
# added: `(7, 1)`. And `a · b`? By the product rule, its derivative is the derivative of `a` times `b`, plus `a` times
# the derivative of `b`.
#
# ### Exercise 01.4: multiply dual numbers
#
# `a` and `b` are pairs `(value, derivative)`. Return their product as such a pair.

# %%
@tf.exercise("01.4")
def multiply(a, b):
    a_value, a_derivative = a
    b_value, b_derivative = b
    ### BEGIN SOLUTION
    return a_value * b_value, a_derivative * b_value + a_value * b_derivative
    ### INSTEAD
    return a_value * b_value, ...
    ### END SOLUTION

tf.check("01.4")

# %% [markdown]
# This is already **automatic differentiation**. It is exact up to rounding, it needs no step, its cost is fixed for
# every operation, and it works through loops, branches and functions. [Forward mode](glossary.ipynb#forward-mode)
# computes derivatives together with the values, and needs one run for each input. A tape uses [reverse
# mode](glossary.ipynb#reverse-mode): it records what ran, then it computes the derivatives from the one result *back*
# to all inputs, in one [backward pass](glossary.ipynb#backward-pass).

# %%
x = tf.Variable(1.0, dtype=tf.float64, name="x")

with tf.GradientTape() as tape:
    wave = tf.sin(x)
    growth = tf.exp(x)
    y = wave * growth

print("error:", abs(tape.gradient(y, x) - true_derivative(x)).numpy())

# %%
with tf.GradientTape() as tape:
    wave = tf.sin(x)
    growth = tf.exp(x)
    y = wave * growth

tf.show(tape, y)

# %% [markdown]
# Look at the backward pass: it uses `growth` and `wave` as the forward pass computed them. There is no step, and
# nothing is computed twice.
#
# ### Exercise 01.5: what does it cost?
#
# A model has 1000 weights and one loss. You want all 1000 derivatives. How often does each method run the *forward
# pass* of the model?
#
# - `"forward difference"`: one step for each weight, and the point itself;
# - `"central difference"`: steps to both sides;
# - `"dual numbers"`: the derivative with respect to one weight at a time;
# - `"tape"`: record once, then run the backward pass.

# %%
@tf.exercise("01.5")
def forward_runs():
    ### BEGIN SOLUTION
    return {"forward difference": 1001, "central difference": 2000, "dual numbers": 1000, "tape": 1}
    ### INSTEAD
    return {"forward difference": ..., "central difference": ..., "dual numbers": ..., "tape": ...}
    ### END SOLUTION

tf.check("01.5")

# %% [markdown]
# The backward pass is not free. But its cost is at most a small, fixed multiple of the forward pass: about four times
# (Griewank and Walther, *Evaluating Derivatives*, 2008). And it runs *once*, for three weights or for three billion.
# That is why models are trained with tapes.
#
# ## Summary
#
# - A finite difference needs a step, and loses at least a third to a half of the digits. It is good for *checking* a
#   gradient: lesson 12.
# - Symbolic differentiation is exact, but formulas grow, and programs are not formulas.
# - Automatic differentiation is neither: it computes exact derivatives through the program itself, one operation at a
#   time.
# - Forward mode needs one run for each input. Reverse mode needs one run and one backward pass for all inputs.
#
# Terms in the glossary: [finite difference](glossary.ipynb#finite-difference), [symbolic differentiation](glossary.ipynb#symbolic-differentiation), [automatic differentiation](glossary.ipynb#automatic-differentiation), [dual number](glossary.ipynb#dual-number).
#
# Next, lesson 02: the list that makes the backward pass possible.

# %%
tf.progress("01")
