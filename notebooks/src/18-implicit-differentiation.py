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
#     lesson: "18"
#     minutes: 40
# ---

# %% [markdown]
# # 18 · Capstone: the derivative of a solution
#
# *A solver iterates until it finds the solution. Must you differentiate all its iterations, or is there a shorter
# way?*
#
# About 40 minutes. The last lesson, with a network that has no layers.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tapelab as tf
from IPython.display import clear_output

# %% [markdown]
# ## A solution without a formula
#
# Some values have no formula. They are the solution of an equation: z is the number for which **z = tanh(w · z +
# x)**. Start anywhere and apply the right side again and again, until z does not change.

# %%
def step(z, w, x):
    return tf.tanh(w * z + x)

w, x = tf.Variable(0.9, name="w"), tf.constant(0.1)

z = tf.constant(0.0)
for k in range(8):
    z = step(z, w, x)
    print(k + 1, f"{z.numpy():.4f}")

# %% [markdown]
# What is the derivative of the solution with respect to `w`? Lesson 08 showed a method: let the tape unroll the loop.
# Here are eight iterations. The backward pass visits every one of them.

# %%
with tf.GradientTape() as tape:
    z = tf.constant(0.0)
    for _ in range(8):
        z = step(z, w, x)

tf.show(tape, z, w)

# %% [markdown]
# ### Exercise 18.1: too few iterations
#
# The derivative of the *program* depends on the number of iterations. Return the derivative of z with respect to `w`
# after `rounds` iterations, starting from 0.

# %%
@tf.exercise("18.1")
def derivative_after(rounds, w, x):
    w = tf.Variable(w)
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        z = tf.constant(0.0)
        for _ in range(rounds):
            z = step(z, w, x)
    return tape.gradient(z, w)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("18.1")

# %% [markdown]
# ## The derivative from the equation
#
# With enough iterations the derivative converges. But every iteration stays on the tape, and all of them lead to only
# *one* solution. There is a method that does not need them.
#
# For the solution, z = f(z, w). This is true for **every** w: when w changes, z changes so that the equation stays
# true. Differentiate both sides with respect to w:
#
# > dz/dw = ∂f/∂z · dz/dw + ∂f/∂w
#
# and solve for dz/dw:
#
# > dz/dw = (∂f/∂w) / (1 − ∂f/∂z)
#
# Both derivatives on the right are those of **one single step** at the solution. It does not matter how the solution
# was found. This is the *implicit function theorem*, which is much older than any tape.
#
# ### Exercise 18.2: from one step
#
# `z` is already the solution. Return dz/dw from one step on a tape.

# %%
@tf.exercise("18.2")
def implicit_derivative(z, w, x):
    z, w = tf.constant(z), tf.Variable(w)
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        tape.watch(z)
        f = step(z, w, x)
    along_z, along_w = tape.gradient(f, [z, w])
    return along_w / (1.0 - along_z)
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("18.2")

# %% [markdown]
# Here are both: the derivative of the program for each number of iterations, and the derivative of the solution as a
# line. The second plot shows the cost, the memory of the tape for each of them.

# %%
def unrolled(rounds):
    with tf.GradientTape() as tape:
        z = tf.constant(0.0)
        for _ in range(rounds):
            z = step(z, w, x)
    return z, float(tape.gradient(z, w))

answer, _ = unrolled(300)
with tf.GradientTape() as tape:
    tape.watch(answer)
    f = step(answer, w, x)
along_z, along_w = tape.gradient(f, [answer, w])

rounds = range(1, 41)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
left.plot(rounds, [unrolled(each)[1] for each in rounds], ".-", label="the program")
left.axhline(float(along_w / (1.0 - along_z)), color="C1", label="the answer")
left.set(xlabel="rounds", title="derivative of z with respect to w")
left.legend()
ops = 3  # of one round: a product, a sum, a tanh
right.plot(rounds, [ops * each for each in rounds], ".-")
right.axhline(ops, color="C1")
right.set(xlabel="rounds", title="ops on the tape")
plt.show()

# %% [markdown]
# ## A solver with its own gradient rule
#
# Combine both: iterate **off the tape**, as long as you like, and give the solution a gradient rule. For the rest of
# the program, the solver is one single op.
#
# ### Exercise 18.3: a root off the tape
#
# `root` computes √a by Heron's method, in twenty iterations. The solution satisfies z · z = a, so dz/da = 1 / (2z).
# Write the rule; `tf.custom_gradient` keeps the iterations off the tape.

# %%
@tf.exercise("18.3")
def root_without_a_trace():
    ### BEGIN SOLUTION
    @tf.custom_gradient
    ### INSTEAD
    # a decorator is missing here
    ### END SOLUTION
    def root(a):
        z = tf.ones_like(a)
        for _ in range(20):
            z = (z + a / z) / 2.0
        ### BEGIN SOLUTION
        return z, lambda upstream: upstream / (2.0 * z)
        ### INSTEAD
        return z, ...  # and here the rule
        ### END SOLUTION

    a = tf.Variable(9.0, name="a")
    with tf.GradientTape() as tape:
        y = 10.0 * root(a)
    return tape, y, a

tf.check("18.3")

# %% [markdown]
# ## When to stop
#
# A real solver stops when the change is small. So the *number* of iterations depends on the data, and the unrolled
# program computes only an approximation.
#
# ### Exercise 18.4: good enough?
#
# `search` starts at 0, with w = 0.5 and x = 0.3, and stops after the first iteration that changes z by less than
# `tolerance`. Predict:
#
# - `"count"`: does the number of iterations have a derivative with respect to w, `"yes"` or `"no"`?
# - `"loose"`: with a tolerance of 0.5, which derivative with respect to w (a number) does the unrolled program give?
# - `"exact"`: with a tolerance of 0.5, does the formula of 18.2 give the derivative of the solution, `"yes"` or
#   `"no"`?
# - `"same size"`: is the tape of the formula as small after a thousand iterations as after one, `"yes"` or `"no"`?

# %%
@tf.exercise("18.4")
def good_enough():
    ### BEGIN SOLUTION
    return {"count": "no", "loose": 0.0, "exact": "no", "same size": "yes"}
    ### INSTEAD
    return {"count": ..., "loose": ..., "exact": ..., "same size": ...}
    ### END SOLUTION

tf.check("18.4")

# %% [markdown]
# ## Many numbers at once
#
# Now let z be a row of numbers, z = tanh(z W + b). Then ∂f/∂z is a matrix, the Jacobian J. Instead of dividing by 1 −
# ∂f/∂z you solve an equation. In the backward pass it is the following one, where g is the upstream gradient of f:
#
# > g = upstream + Jᵀ g
#
# It has the same form as the equation at the start of this lesson. So you can also find g by iteration: start with
# the upstream gradient, and apply the right side again and again. A tape computes Jᵀ g: it is the gradient with the
# upstream gradient g. You never need J itself.
#
# ### Exercise 18.5: iterate in the backward pass
#
# `z` is the solution, a row. Return g after forty iterations. (`tape.gradient(f, z, output_gradients=g)` is Jᵀ g; it
# is called more than once, so the tape is persistent.)

# %%
@tf.exercise("18.5")
def searched_back(z, W, b, upstream):
    z, W, b, upstream = (tf.constant(each) for each in (z, W, b, upstream))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        f = tf.tanh(z @ W + b)
    g = upstream
    ### BEGIN SOLUTION
    for _ in range(40):
        g = upstream + tape.gradient(f, z, output_gradients=g)
    return g
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("18.5")

# %% [markdown]
# ## A network that is an equation
#
# A **deep equilibrium model** (Bai and others, 2019) has no layers. Its hidden state is the *solution* of an
# equation, z = tanh(z W + x u + b), as if the same layer had been applied for ever. It iterates in the forward pass
# and in the backward pass, and on the tape there is *one* layer.

# %%
SIZE = 32
tf.random.set_seed(18)
W = tf.Variable(tf.random.normal([SIZE, SIZE], stddev=0.02), name="W")
u = tf.Variable(tf.random.normal([1, SIZE], stddev=1.5), name="u")
b = tf.Variable(tf.random.normal([SIZE], stddev=2.0), name="b")
v = tf.Variable(tf.random.normal([SIZE, 1], stddev=0.1), name="v")

def layer(z, x):
    return tf.tanh(z @ W + x @ u + b)

def search(again, start, tolerance=1e-3, most=100):
    """Put in again and again until it stays; and how many rounds that took."""
    found = start
    for rounds in range(1, most + 1):
        last, found = found, again(found)
        if tf.reduce_max(tf.abs(found - last)) < tolerance:
            break
    return found, rounds

def equilibrium(answer, x):
    """The answer, with one layer on the tape and the gradient of the equation."""
    @tf.custom_gradient
    def searched(z):
        def rule(upstream):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(answer)
                f = layer(answer, x)

            def once_more(g):
                return upstream + tape.gradient(f, answer, output_gradients=g)

            return search(once_more, upstream)[0]

        return tf.identity(z), rule

    return searched(layer(answer, x))

# %% [markdown]
# Here is the tape for one example, after the solution was found:

# %%
x = tf.constant([[1.0]])
found, rounds = search(lambda z: layer(z, x), tf.zeros([1, SIZE]))
print("rounds:", rounds)
answer = tf.constant(found.numpy())

with tf.GradientTape() as tape:
    y = equilibrium(answer, x) @ v

tf.show(tape, y, [W, u, b, v])

# %% [markdown]
# Train it on a wave with a jump. The lowest curve shows the number of iterations: the better the network, the harder
# its equation. Where the curve reaches 100, the solver stopped early, and the gradient is only approximate.

# %%
xs = tf.linspace([-3.0], [3.0], 60)
ys = tf.sin(2.0 * xs) + tf.sign(xs)

def draw(done, steps, losses, rounds):
    clear_output(wait=True)
    figure, (bar, fit, loss, search) = plt.subplots(
        4, 1, figsize=(6, 7.5), height_ratios=[1, 12, 6, 6], layout="constrained"
    )
    bar.barh(0, done)
    bar.set(xlim=(0, steps), yticks=[], xticks=[], title=f"step {done} of {steps}")
    fit.plot(xs, ys, ".", label="the data")
    fit.plot(xs, layer(answer, xs) @ v, label="the equation")
    fit.set(ylim=(-2.5, 2.5))
    fit.legend(loc="upper left")
    loss.semilogy(losses)
    loss.set(xlim=(0, steps), ylabel="loss")
    search.plot(rounds)
    search.set(xlim=(0, steps), xlabel="step", ylabel="rounds")
    plt.show()

# %%
STEPS = 400
weights = [W, u, b, v]
optimizer = tf.keras.optimizers.Adam(0.01)
losses, rounds = [], []
answer = tf.zeros([60, SIZE])
for done in range(1, STEPS + 1):
    answer, needed = search(lambda z: layer(z, xs), tf.zeros([60, SIZE]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(equilibrium(answer, xs) @ v - ys))
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    losses.append(float(loss))
    rounds.append(needed)
    if done % 50 == 0:
        draw(done, STEPS, losses, rounds)

# %% [markdown]
# ## Summary
#
# - A tape differentiates the program. You want the derivative of the solution.
# - The solution satisfies an equation. Its derivative follows from **one** step at the solution.
# - Iterate off the tape, and give the result a gradient rule. This needs little memory.
# - The formula is only as accurate as the solution.
#
# Terms in the glossary: [implicit differentiation](glossary.ipynb#implicit-differentiation), [VJP](glossary.ipynb#VJP), [custom gradient](glossary.ipynb#custom-gradient).
#
# This was the last lesson. Now you know what a tape records, how the backward pass works, where a path can end, and
# how to find that place. Go and train something.

# %%
tf.progress("18")
