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
#     lesson: "17"
#     minutes: 40
# ---

# %% [markdown]
# # 17 · Capstone: two models against each other
#
# *Can a model learn to generate points that look real, if all it gets is the gradient of a critic?*
#
# About 40 minutes. Two models, two tapes, and a gradient in the loss.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tapelab as tf
from IPython.display import clear_output

# %% [markdown]
# ## The forger and the critic
#
# Here are the real "paintings": points on a ring.

# %%
def real_points(count):
    angle = tf.random.uniform([count], 0.0, 2.0 * np.pi)
    radius = 1.0 + 0.05 * tf.random.normal([count])
    return tf.stack([radius * tf.cos(angle), radius * tf.sin(angle)], axis=1)

tf.random.set_seed(17)
points = real_points(300)
plt.figure(figsize=(4, 4))
plt.plot(points[:, 0], points[:, 1], ".")
plt.title("Real points")
plt.show()

# %% [markdown]
# The **forger** turns noise into points. The **critic** gives every point a score: high for real ones, low for forged
# ones. The critic learns to increase the gap between the two scores. The forger learns to close it, by following the
# gradient of the critic. The forger never gets any information about the ring itself.

# %%
def dense(inputs, outputs):
    spread = (2.0 / inputs)**0.5
    weights = tf.Variable(spread * tf.random.normal([inputs, outputs]))
    return [weights, tf.Variable(tf.zeros([outputs]))]

def run(layers, x):
    for weights, bias in layers[:-1]:
        x = tf.nn.relu(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias

critic = [dense(2, 32), dense(32, 32), dense(32, 1)]
forger = [dense(2, 32), dense(32, 32), dense(32, 2)]
print("scores", run(critic, points[:3]).shape)
print("forged points", run(forger, tf.random.normal([3, 2])).shape)

# %% [markdown]
# The gap alone is not a good measure: a critic that multiplies all its scores by a thousand has a gap a thousand
# times as wide, and has learned nothing. In a *Wasserstein* GAN (Arjovsky and others, 2017) the gradient of the
# critic must not be **longer than 1** anywhere. Then the largest possible gap is a true distance between the two sets
# of points.
#
# How do you limit the gradient of a network? Gulrajani and others (2017) put it into the loss. They compute **the
# gradient of the critic itself** at points between real and forged ones, and add a penalty if its length is not 1.
# This is a gradient inside a loss. To train with it you need the gradient of a gradient, as in lesson 10.
#
# ## The points in between
#
# A point between a real and a forged one is a mixture of both. So it is *computed*. What is its gradient?

# %%
real, forged = tf.constant([[1.0, 0.0]]), tf.constant([[0.0, 2.0]])
between = 0.5 * real + 0.5 * forged

with tf.GradientTape() as tape:
    score = tf.reduce_sum(run(critic, between))

print(tape.gradient(score, between))
tf.explain(tape, score, between)

# %% [markdown]
# ### Exercise 17.1: the gradient in between
#
# In the exercises the critic is so simple that you can compute it by hand: `steepness` times the squared distance
# from the origin. Make the gradient of the scores arrive at the points in between.

# %%
@tf.exercise("17.1")
def derivative_in_between():
    steepness = tf.Variable(0.5, name="steepness")
    real = tf.constant([[3.0, 0.0], [0.0, 1.0]])
    forged = tf.constant([[1.0, 2.0], [0.0, -3.0]])
    between = 0.5 * real + 0.5 * forged
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        tape.watch(between)
        ### INSTEAD
        ...
        ### END SOLUTION
        score = tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))
    return tape, score, between

tf.check("17.1")

# %% [markdown]
# Why the **sum** of the scores? Each score depends on its own point only, so each row of the gradient of the sum is
# the gradient at one point. With the mean, every gradient would be divided by the number of points.
#
# ## The penalty
#
# The gradient has a row for each point. The **length** of each row should be 1. The penalty is the mean of
# (length − 1)².
#
# ### Exercise 17.2: how far from one
#
# Return the penalty for a table of gradients, one row for each point.

# %%
@tf.exercise("17.2")
def penalty_of(gradients):
    gradients = tf.constant(gradients)
    ### BEGIN SOLUTION
    lengths = tf.norm(gradients, axis=1)
    return tf.reduce_mean(tf.square(lengths - 1.0))
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("17.2")

# %% [markdown]
# ## A tape around a tape
#
# The inner tape computes the gradients, and from them you compute the penalty. The outer tape must record **all of
# it**, with the backward pass of the inner tape. Only then does the gradient of the penalty reach the weights of the
# critic.
#
# ### Exercise 17.3: down to the weights
#
# Here is the penalty for the critic of 17.1. Two lines are outside the outer tape, and one tape does not watch what
# it should. Fix it so that the gradient of the penalty arrives at `steepness`.

# %%
@tf.exercise("17.3")
def down_to_the_weights():
    steepness = tf.Variable(0.5, name="steepness")
    between = tf.constant([[2.0, 1.0], [0.0, -1.0]])
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))
        derivatives = inner.gradient(score, between)
        penalty = tf.reduce_mean(tf.square(tf.norm(derivatives, axis=1) - 1.0))
    ### INSTEAD
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            score = tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))
    derivatives = inner.gradient(score, between)
    penalty = ...  # from derivatives
    ### END SOLUTION
    return outer, penalty, steepness

tf.check("17.3")

# %% [markdown]
# Here is the same with a single point. Step through the outer tape: first the score, then the backward pass of the
# inner tape *as recorded operations*, then the penalty, and from there the backward pass to `steepness`.

# %%
steepness = tf.Variable(0.5, name="steepness")
between = tf.constant([[2.0, 1.0]])

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(between)
        score = tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))
    derivatives = inner.gradient(score, between)
    penalty = tf.reduce_mean(tf.square(tf.norm(derivatives, axis=1) - 1.0))

tf.show(outer, penalty, steepness)

# %% [markdown]
# ### Exercise 17.4: the demo with three faults
#
# This is a training step of a critic as you might find it on the web. It runs without an error and a gradient
# arrives, but the critic learns nonsense. There are **three** faults: with one the penalty has no effect, one makes
# the gradients too small, and one makes the critic prefer forgeries. Fix them.

# %%
@tf.exercise("17.4")
def repaired_demo():
    steepness = tf.Variable(0.5, name="steepness")

    def critic(points):
        return steepness * tf.reduce_sum(points * points, axis=1)

    real = tf.constant([[1.0, 0.0], [0.0, 3.0]])
    forged = tf.constant([[3.0, 2.0], [-4.0, 1.0]])
    between = 0.5 * real + 0.5 * forged
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(between)
            ### BEGIN SOLUTION
            score = tf.reduce_sum(critic(between))
            ### INSTEAD
            score = tf.reduce_mean(critic(between))
            ### END SOLUTION
        derivatives = inner.gradient(score, between)
        ### BEGIN SOLUTION
        lengths = tf.norm(derivatives, axis=1)
        ### INSTEAD
        lengths = np.linalg.norm(derivatives, axis=1)
        ### END SOLUTION
        penalty = tf.reduce_mean(tf.square(lengths - 1.0))
        ### BEGIN SOLUTION
        gap = tf.reduce_mean(critic(real)) - tf.reduce_mean(critic(forged))
        ### INSTEAD
        gap = tf.reduce_mean(critic(forged)) - tf.reduce_mean(critic(real))
        ### END SOLUTION
        loss = 10.0 * penalty - gap
    return outer, loss, steepness

tf.check("17.4")

# %% [markdown]
# ## Train both
#
# Now train both. In every round the critic takes four steps and the forger one.

# %%
def flat(layers):
    return [variable for layer in layers for variable in layer]

critic_optimizer = tf.keras.optimizers.Adam(0.008, beta_1=0.5)
forger_optimizer = tf.keras.optimizers.Adam(0.008, beta_1=0.5)

def critic_step(count=128):
    real, forged = real_points(count), run(forger, tf.random.normal([count, 2]))
    mix = tf.random.uniform([count, 1])
    between = mix * real + (1.0 - mix) * forged
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = tf.reduce_sum(run(critic, between))
        derivatives = inner.gradient(score, between)
        penalty = tf.reduce_mean(tf.square(tf.norm(derivatives, axis=1) - 1.0))
        gap = tf.reduce_mean(run(critic, real)) - tf.reduce_mean(run(critic, forged))
        loss = 0.5 * penalty - gap
    weights = flat(critic)
    critic_optimizer.apply_gradients(zip(outer.gradient(loss, weights), weights))
    return float(gap)

def forger_step(count=128):
    noise = tf.random.normal([count, 2])
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(run(critic, run(forger, noise)))
    weights = flat(forger)
    forger_optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

# %% [markdown]
# The picture is updated during training. Where it is dark, the critic gives high scores. In JupyterLab you can also
# open the *Tape* panel at the right and watch both losses there.

# %%
side = np.linspace(-2.0, 2.0, 30, dtype="float32")
grid = np.stack(np.meshgrid(side, side), axis=-1)
noise = tf.random.normal([300, 2])

def draw(done, rounds, gaps):
    clear_output(wait=True)
    heights = run(critic, grid.reshape(-1, 2)).numpy().reshape(30, 30)
    forged = run(forger, noise)
    figure, (bar, scene, curve) = plt.subplots(
        3, 1, figsize=(5, 6.5), height_ratios=[1, 20, 6], layout="constrained"
    )
    bar.barh(0, done)
    bar.set(xlim=(0, rounds), yticks=[], xticks=[], title=f"round {done} of {rounds}")
    scene.contourf(side, side, heights, 12, cmap="Greys", alpha=0.6)
    scene.plot(points[:, 0], points[:, 1], ".", label="real")
    scene.plot(forged[:, 0], forged[:, 1], ".", label="forged")
    scene.set(xlim=(-2, 2), ylim=(-2, 2), aspect="equal")
    scene.legend(loc="upper right")
    curve.plot(gaps)
    curve.set(xlim=(0, rounds), xlabel="round", ylabel="gap")
    plt.show()

# %%
ROUNDS = 200
gaps = []
for done in range(1, ROUNDS + 1):
    for _ in range(4):
        gap = critic_step()
    forger_step()
    gaps.append(gap)
    if done % 25 == 0:
        draw(done, ROUNDS, gaps)

# %% [markdown]
# The forger has never seen a real point. All it got is the gradient that you see here: an arrow at each forged point,
# in the direction in which the score of the critic grows.

# %%
forged = run(forger, noise[:120])

with tf.GradientTape() as tape:
    tape.watch(forged)
    score = tf.reduce_sum(run(critic, forged))

derivatives = tape.gradient(score, forged)
plt.figure(figsize=(5, 5))
plt.plot(points[:, 0], points[:, 1], ".", alpha=0.3)
plt.quiver(
    forged[:, 0], forged[:, 1], derivatives[:, 0], derivatives[:, 1], color="C1", width=0.004
)
plt.axis("equal")
plt.show()

# %% [markdown]
# ### Exercise 17.5: who learns what?
#
# Does a gradient arrive, `"yes"` or `"no"`? In `forger_step`, for the gradient of its loss:
#
# - `"forger"`: at the weights of the forger;
# - `"critic"`: at the weights of the critic;
# - `"noise"`: at the noise;
#
# and in `critic_step`, for the outer tape:
#
# - `"from the critic"`: at the weights of the forger. (Where are the forged points made?)

# %%
@tf.exercise("17.5")
def who_learns_what():
    ### BEGIN SOLUTION
    return {"forger": "yes", "critic": "yes", "noise": "no", "from the critic": "no"}
    ### INSTEAD
    return {"forger": ..., "critic": ..., "noise": ..., "from the critic": ...}
    ### END SOLUTION

tf.check("17.5")

# %% [markdown]
# ## Summary
#
# - A gradient in a loss needs two tapes, and the outer one must be active while the inner `gradient` runs.
# - A computed tensor is not watched: call `watch` for the points in between.
# - If a gradient is `None` in such a program, one of these two is usually the cause. It does not matter how you call
#   the model.
# - Two models, two lists of variables: each optimiser gets its own.
#
# Terms in the glossary: [watch](glossary.ipynb#watch), [nested tapes](glossary.ipynb#nested-tapes), [gradient penalty](glossary.ipynb#gradient-penalty).
#
# Next, lesson 18: the derivative of a solution that an iteration finds.

# %%
tf.progress("17")
