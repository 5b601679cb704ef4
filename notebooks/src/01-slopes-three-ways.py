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
# # 01 · Slopes three ways
#
# *How does a machine find a slope: by nudging, by algebra, or is there a third way?*
#
# About 35 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# Here is a function that bends a lot. We want its slope at `x = 1`, and for once we know it: a bit of algebra on paper
# gives cos(x) · e^x + sin(x) · e^x. All numbers in this lesson are `float64`, with about 16 digits.

# %%
def bendy(x):
    return tf.sin(x) * tf.exp(x)

def true_slope(x):
    return tf.cos(x) * tf.exp(x) + tf.sin(x) * tf.exp(x)

x = tf.constant(1.0, tf.float64)
print(bendy(x).numpy(), true_slope(x).numpy())

# %% [markdown]
# ## The first way: nudge
#
# Move `x` by a small step `h`, see how far the function moves, divide. The smaller the step, the better? Make up your
# mind before you run this: with which of the steps is the answer best?

# %%
def forward_difference(x, h):
    return (bendy(x + h) - bendy(x)) / h

for h in [1e-1, 1e-4, 1e-8, 1e-12, 1e-15]:
    error = abs(forward_difference(x, h) - true_slope(x))
    print(f"h = {h:.0e}   error = {error:.1e}")

# %% [markdown]
# The error falls, and then it rises again. Here is the whole story, on two logarithmic axes:

# %%
steps = [10.0 ** -(k / 4) for k in range(4, 64)]
errors = [abs(forward_difference(x, h) - true_slope(x)) for h in steps]

plt.loglog(steps, errors, ".-")
plt.xlabel("step h")
plt.ylabel("error of the slope")
plt.title("Nudging: too far on the right, too few digits on the left")
plt.show()

# %% [markdown]
# Two errors pull in opposite directions.
#
# - On the right the step is **too large**: the function bends on the way. This error shrinks with `h`.
# - On the left the step is **too small**: `bendy(x + h)` and `bendy(x)` agree in nearly all their digits, and the
#   difference is made of the few that are left. This error grows with `1 / h`.
#
# The best one can do is about half of the digits. A step to *both* sides is better, because the bends on the two sides
# cancel: (f(x + h) − f(x − h)) / 2h.
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
# Which step is best: 10⁻², 10⁻⁵, 10⁻⁸ or 10⁻¹³? Answer with the exponent, −2, −5, −8 or −13, first by thinking:
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
# ### Without taking a difference
#
# It is the *difference* of two nearly equal numbers that eats the digits. A trick avoids it: nudge into the
# **imaginary** direction. For a smooth function, f(x + ih) is about f(x) + ih · f′(x): the slope waits in the imaginary
# part, with nothing to subtract it from. The step may be as small as one likes.
#
# ### Exercise 01.3: the complex step
#
# `tf.complex(a, b)` makes a complex number, `tf.math.imag(z)` takes its imaginary part, and `bendy` takes complex
# numbers as it is. Return the slope at `x`, with `h = 1e-30`.

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
# All digits are right. Still, it asks for a run for every number that can be nudged, and for a function that can do
# complex arithmetic. `tf.abs` and `tf.maximum` cannot.
#
# ## The second way: algebra
#
# On paper you would *rewrite* the formula, by rules: the product rule, the chain rule. A program can do that, too. Let a
# formula be a small tree: `("*", a, b)` is a product, `("x",)` is x.

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
# That is the slope of x · (x · x), and it is right. Now count what it costs. Here is a product with more and more factors,
# and the size of what its derivative has become:

# %%
def size(f):
    return 1 + sum(size(part) for part in f[1:])

product = ("x",)
for factors in range(2, 65):
    product = ("*", ("x",), product)
    if factors in (2, 4, 8, 16, 32, 64):
        print(f"{factors:3} factors: formula {size(product):4}, derivative {size(derived(product)):5}")

# %% [markdown]
# Twice as many factors, four times as much formula: the same parts are written down again and again. And a formula has
# no loops, no `if`, no functions that call each other. A program is not a formula.
#
# ## The third way: carry the slope along
#
# Do not nudge the function, and do not rewrite it. Let *each number carry its own slope*, and let every operation compute
# two things: its value, and the slope of its value. Such a pair is a **dual number**.
#
# Take `a = 3` with slope 1 and `b = 4` with slope 0. What should `a + b` carry? Values add, slopes add: `(7, 1)`. And
# `a · b`? When both grow a little, the product grows by what `a` gains, `b` times as much, and by what `b` gains,
# `a` times as much.
#
# ### Exercise 01.4: multiply dual numbers
#
# `a` and `b` are pairs `(value, slope)`. Return their product, as such a pair.

# %%
@tf.exercise("01.4")
def multiply(a, b):
    a_value, a_slope = a
    b_value, b_slope = b
    ### BEGIN SOLUTION
    return a_value * b_value, a_slope * b_value + a_value * b_slope
    ### INSTEAD
    return a_value * b_value, ...
    ### END SOLUTION

tf.check("01.4")

# %% [markdown]
# This is already **automatic differentiation**: exact to the last digit, no step to choose, at a fixed price for every
# operation, through loops and branches and functions. Carrying slopes *forward* asks for one run for each input. A tape does
# the same the other way: it writes down what ran, and carries the slopes *back* from the one result to all inputs at
# once.

# %%
x = tf.Variable(1.0, dtype=tf.float64, name="x")

with tf.GradientTape() as tape:
    wave = tf.sin(x)
    growth = tf.exp(x)
    y = wave * growth

print("error:", abs(tape.gradient(y, x) - true_slope(x)).numpy())

# %%
with tf.GradientTape() as tape:
    wave = tf.sin(x)
    growth = tf.exp(x)
    y = wave * growth

tf.show(tape, y)

# %% [markdown]
# Look at the way back: `growth` and `wave` are used as they were on the way forward. Nothing is nudged, and nothing is
# computed twice.
#
# ### Exercise 01.5: what does it cost?
#
# A model has 1000 weights and one loss. You want all 1000 slopes. How often does each way run the model *forward*?
#
# - `"forward difference"`: one nudge for each weight, and the point itself;
# - `"central difference"`: to both sides;
# - `"dual numbers"`: carry the slope along one weight at a time;
# - `"tape"`: write down once, then go back.

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
# The way back is not free. But it never does more than a small, fixed number of times the work of the way forward
# (about four times, prove Griewank and Walther, *Evaluating Derivatives*, 2008), and it does so *once*, whether there
# are three weights or three billion. That is why models are trained with tapes.
#
# ## What to take along
#
# - A difference has to choose its step, and loses at best a third to a half of the digits. It is good for *checking* a
#   gradient: lesson 12.
# - Rewriting formulas is exact, and the formulas grow; programs are no formulas.
# - Automatic differentiation is neither: it carries exact slopes through the program itself, one operation at a time.
# - Forward, it costs a run for each input. Backward, one run and one way back for all of them.
#
# Words to look up: [finite difference](glossary.ipynb#finite-difference), [symbolic differentiation](glossary.ipynb#symbolic-differentiation), [automatic differentiation](glossary.ipynb#automatic-differentiation), [dual number](glossary.ipynb#dual-number).
#
# Next, lesson 02: the list that makes the way back possible.

# %%
tf.progress("01")
