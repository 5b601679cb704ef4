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
# # 18 · Capstone: the derivative of an answer
#
# *A solver tries until it has found the answer. Must you differentiate all its tries, or is there a shorter way?*
#
# About 40 minutes. The last lesson, with a network that has no layers.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tapelab as tf
from IPython.display import clear_output

# %% [markdown]
# ## An answer that was searched for
#
# Some values have no formula. They are *found*: z is the number for which **z = tanh(w · z + x)**. One starts
# anywhere, and puts z in again and again until it stays.

# %%
def step(z, w, x):
    return tf.tanh(w * z + x)

w, x = tf.Variable(0.9, name="w"), tf.constant(0.1)

z = tf.constant(0.0)
for k in range(8):
    z = step(z, w, x)
    print(k + 1, f"{z.numpy():.4f}")

# %% [markdown]
# How does the answer react to `w`? Lesson 08 knows a way: let the tape unroll the loop. Here are the eight rounds. The way
# back passes through every one of them.

# %%
with tf.GradientTape() as tape:
    z = tf.constant(0.0)
    for _ in range(8):
        z = step(z, w, x)

tf.show(tape, z, w)

# %% [markdown]
# ### Exercise 18.1: too few rounds
#
# The slope of the *program* depends on how many rounds it does. Return the slope of z along `w` after `rounds`
# rounds, from 0.

# %%
@tf.exercise("18.1")
def slope_after(rounds, w, x):
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
# ## What the answer itself knows
#
# With enough rounds the slope comes to rest. But every round stays on the tape, and all of them only to arrive at *one*
# answer. Who keeps the drafts once the letter is written?
#
# At the answer, z = f(z, w). And that holds for **every** w: when w grows a little, z moves just so that it goes on
# to hold. Differentiate both sides along w:
#
# > dz/dw = ∂f/∂z · dz/dw + ∂f/∂w
#
# and solve for dz/dw:
#
# > dz/dw = (∂f/∂w) / (1 − ∂f/∂z)
#
# Both slopes on the right are those of **one single step**, taken at the answer. How the answer was found makes no
# difference. This is the *implicit function theorem*, and it is much older than any tape.
#
# ### Exercise 18.2: from one step
#
# `z` is the answer already. Return dz/dw from one step on a tape.

# %%
@tf.exercise("18.2")
def implicit_slope(z, w, x):
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
# Here are both: the slope of the program, round by round, and the slope of the answer, as a line. And as a measure of the
# cost, what the tape holds for each of them.

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
left.set(xlabel="rounds", title="slope of z along w")
left.legend()
ops = 3  # of one round: a product, a sum, a tanh
right.plot(rounds, [ops * each for each in rounds], ".-")
right.axhline(ops, color="C1")
right.set(xlabel="rounds", title="ops on the tape")
plt.show()

# %% [markdown]
# ## A solver with a rule of its own
#
# Put both together: search **off the tape**, as long as you like, and give the answer a rule. To whoever uses it, the
# solver is one single op.
#
# ### Exercise 18.3: a root without a trace
#
# `root` finds √a by Heron's method, in twenty rounds. The answer satisfies z · z = a, so dz/da = 1 / (2z). Write the
# rule; `tf.custom_gradient` keeps the rounds off the tape.

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
# A real solver stops when the change is small. So the *number* of rounds depends on the data, and what the unrolled
# program computes is not quite the answer.
#
# ### Exercise 18.4: good enough?
#
# `search` begins at 0, with w = 0.5 and x = 0.3, and stops after the first round that changes z by less than
# `tolerance`. Predict:
#
# - `"count"`: has the number of rounds a slope along w, `"yes"` or `"no"`?
# - `"loose"`: with a tolerance of 0.5, which slope along w (a number) does the unrolled program give?
# - `"exact"`: with a tolerance of 0.5, does the formula of 18.2 give the slope of the answer, `"yes"` or `"no"`?
# - `"same size"`: is the tape of the formula as small after a thousand rounds as after one, `"yes"` or `"no"`?

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
# Now let z be a row of numbers, z = tanh(z W + b). Then ∂f/∂z is a matrix, the Jacobian J, and instead of dividing by
# 1 − ∂f/∂z one solves an equation. On the way back it is this one, where g is what goes on to f:
#
# > g = upstream + Jᵀ g
#
# Look closely: it has the same form as the question we began with! So g can be *searched for* as well: begin with the
# upstream, and put g in again and again. And Jᵀ g is just what a tape computes: a gradient with the upstream g. Nobody ever
# has to write down J.
#
# ### Exercise 18.5: a search on the way back
#
# `z` is the answer, a row. Return g after forty rounds. (`tape.gradient(f, z, output_gradients=g)` is Jᵀ g; the tape
# is asked more than once, so it is persistent.)

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
# A **deep equilibrium model** (Bai and others, 2019) has no layers. Its hidden state is the *solution* of an equation,
# z = tanh(z W + x u + b), as if one and the same layer had been applied for ever. It searches on the way forward and
# it searches on the way back, and on the tape there is *one* layer.

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
# Here is what the tape holds for one example, once the answer has been found:

# %%
x = tf.constant([[1.0]])
found, rounds = search(lambda z: layer(z, x), tf.zeros([1, SIZE]))
print("rounds:", rounds)
answer = tf.constant(found.numpy())

with tf.GradientTape() as tape:
    y = equilibrium(answer, x) @ v

tf.show(tape, y, [W, u, b, v])

# %% [markdown]
# Train it on a wave with a jump in it. The lowest curve tells how many rounds it took to find the answer: the better
# the network, the harder its equation. Where the curve reaches 100 the search gave up, and that gradient is only nearly right.

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
# ## What to take along
#
# - A tape differentiates the program. What you want is the derivative of the answer.
# - The answer satisfies an equation. Its derivative follows from **one** step, taken at the answer.
# - Search off the tape, and give the result a rule: little memory, and no trace of the tries.
# - The formula is as good as the answer is. Search well.
#
# Words to look up: [implicit differentiation](glossary.ipynb#implicit-differentiation), [VJP](glossary.ipynb#VJP), [custom gradient](glossary.ipynb#custom-gradient).
#
# This was the last lesson. You know what a tape writes down, how it comes back, where it breaks, and how to tell. Go
# and train something.

# %%
tf.progress("18")
