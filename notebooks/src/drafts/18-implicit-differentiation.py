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
# *A solver tries until it has found the answer. Do you have to differentiate all its tries, or is there a shorter way?*
#
# About 40 minutes.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## An answer that was searched for
#
# Some values have no formula. They are *found*: z is the number for which **z = tanh(w · z + x)**. One starts anywhere and puts z in again and again, until it
# stays.

# %%
def step(z, w, x):
    return tf.tanh(w * z + x)

w, x = tf.Variable(0.5, name="w"), tf.constant(0.3)

z = tf.constant(0.0)
for k in range(8):
    z = step(z, w, x)
    print(k + 1, z.numpy().round(5))

# %% [markdown]
# How does the answer react to `w`? Lesson 08 knows a way: the tape unrolls the loop. Here are eight rounds of it; on the way back every one of them is passed.

# %%
with tf.GradientTape() as tape:
    z = tf.constant(0.0)
    for _ in range(8):
        z = step(z, w, x)

tf.show(tape, z, w)

# %% [markdown]
# ### Exercise 18.1: too few rounds
#
# The slope of the *program* depends on how many rounds it does. Return the slope of z with respect to `w` after `rounds` rounds, beginning at 0.

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

# %%
def unrolled(rounds):
    with tf.GradientTape() as tape:
        z = tf.constant(0.0)
        for _ in range(rounds):
            z = step(z, w, x)
    return float(tape.gradient(z, w))

plt.plot(range(2, 16), [unrolled(rounds) for rounds in range(2, 16)], "o-")
plt.xlabel("rounds")
plt.ylabel("slope of z along w")
plt.show()

# %% [markdown]
# With enough rounds it comes to rest. But every round is kept on the tape, and all of them only to arrive at *one* answer. Who would keep the drafts, once the letter is written?
#
# ## What the answer itself knows
#
# At the answer, z = f(z, w) holds. It holds for **every** w: when w grows a little, z moves just so that it goes on to hold. Differentiate both sides:
#
# > dz/dw = ∂f/∂z · dz/dw + ∂f/∂w
#
# and solve for dz/dw:
#
# > dz/dw = (∂f/∂w) / (1 − ∂f/∂z)
#
# Both slopes on the right are those of **one single step**, taken at the answer. How the answer was found makes no difference. This is the *implicit function
# theorem*, and it is more than a hundred years old.
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
# ## A solver with a rule of its own
#
# Now put both together: search **off the tape**, as long as you like, and give the answer a rule. To whoever uses it, the solver is one single operation.
#
# ### Exercise 18.3: a root without a trace
#
# `root` finds √a by Heron's method, with twenty rounds. The answer satisfies z · z = a, so dz/da = 1 / (2z). Write the rule. The tape then holds the solver as **one** record, however
# often it goes round.

# %%
@tf.exercise("18.3")
def root_without_a_trace(value):
    @tf.custom_gradient
    def root(a):
        z = tf.ones_like(a)
        for _ in range(20):
            z = (z + a / z) / 2.0
        ### BEGIN SOLUTION
        return z, lambda upstream: upstream / (2.0 * z)
        ### INSTEAD
        return z, lambda upstream: ...
        ### END SOLUTION

    a = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = 10.0 * root(a)
    ### BEGIN SOLUTION
    return tape.gradient(y, a)
    ### INSTEAD
    return ...  # tape.gradient(y, a)
    ### END SOLUTION

tf.check("18.3")

# %% [markdown]
# ## Until it is good enough
#
# A real solver stops when the change is small. So the *number* of rounds depends on the data. Where that number jumps, the value of the unrolled program jumps a little, too, and its slope knows
# nothing of it.
#
# ### Exercise 18.4: good enough?
#
# `search` starts at 0 and stops when the change is below `tolerance`. Predict, `"yes"` or `"no"`:
#
# - `"count"`: has the number of rounds a gradient with respect to w?
# - `"loose"`: with a tolerance of 0.5, is the unrolled slope near the true one?
# - `"implicit"`: with a tolerance of 0.5, does the formula of 18.2 give exactly the true slope?
# - `"memory"`: does the tape of the implicit way grow with the number of rounds?

# %%
@tf.exercise("18.4")
def good_enough():
    ### BEGIN SOLUTION
    return {"count": "no", "loose": "no", "implicit": "no", "memory": "no"}
    ### INSTEAD
    return {"count": ..., "loose": ..., "implicit": ..., "memory": ...}
    ### END SOLUTION

tf.check("18.4")

# %% [markdown]
# ## A network that is an equation
#
# A **deep equilibrium model** (Bai and others, 2019) has no layers. Its hidden state is the *solution* of an equation, z = tanh(W z + u x + b), as if one and the same layer had been applied for
# ever. On the way back one needs the transposed slope of one step, and solves an equation with it:
#
# > (1 − Jᵀ) · g = upstream
#
# With sixteen numbers in z we solve it outright.

# %%
SIZE = 16
tf.random.set_seed(18)
W = tf.Variable(0.3 / SIZE**0.5 * tf.random.normal([SIZE, SIZE]), name="W")
u = tf.Variable(tf.random.normal([1, SIZE]), name="u")
b = tf.Variable(tf.zeros([SIZE]), name="b")
v = tf.Variable(0.1 * tf.random.normal([SIZE, 1]), name="v")

def layer(z, x):
    return tf.tanh(z @ W + x @ u + b)

def solved(x):
    """The state that stays as it is, searched for off the tape."""
    z = tf.zeros([x.shape[0], SIZE])
    for _ in range(30):
        z = layer(z, x)
    return tf.stop_gradient(z)

def equilibrium(x):
    """The same state, with the gradient of the equation."""
    z = layer(solved(x), x)

    @tf.custom_gradient
    def implicit(z):
        # z = tanh(…): its slope along the state is (1 − z²) · W, for each example by itself
        slopes = (1.0 - tf.square(z))[:, tf.newaxis, :] * W[tf.newaxis, :, :]

        def rule(upstream):
            found = tf.linalg.solve(tf.eye(SIZE) - slopes, upstream[:, :, tf.newaxis])
            return found[:, :, 0]

        return tf.identity(z), rule

    return implicit(z)

# %% [markdown]
# Train it on a wave. The bar shows how far it is.

# %%
xs = tf.linspace([-3.0], [3.0], 60)
ys = tf.sin(2.0 * xs)

weights = [W, u, b, v]
optimizer = tf.keras.optimizers.Adam(0.02)
losses = []
bar = tf.keras.utils.Progbar(150)
for round in range(150):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(equilibrium(xs) @ v - ys))
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    losses.append(float(loss))
    bar.update(round + 1)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
left.plot(xs, ys, label="the wave")
left.plot(xs, equilibrium(xs) @ v, label="the equation")
left.legend()
right.semilogy(losses)
right.set_xlabel("step")
right.set_ylabel("loss")
plt.show()

# %% [markdown]
# Thirty rounds of search for each step, and on the tape there is *one* layer.
#
# ## What to take along
#
# - The tape differentiates the program. What you want is the derivative of the answer.
# - The answer satisfies an equation; its derivative follows from **one** step, taken at the answer.
# - Search off the tape, and give the result a rule: less memory, and no trace of the tries.
# - The formula is as good as the answer is: search well.
#
# This was the last lesson. You know what a tape writes down, how it comes back, where it breaks, and how to tell. Go and train something.

# %%
tf.progress("18")
