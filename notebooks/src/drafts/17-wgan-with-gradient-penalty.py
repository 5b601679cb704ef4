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
# *Can a model learn to invent points that nobody can tell from real ones, if all it ever gets is the slope of a critic?*
#
# About 40 minutes. Two models, two tapes, and a gradient in the loss.

# %%
import matplotlib.pyplot as plt
import tapelab as tf

# %% [markdown]
# ## The forger and the critic
#
# Here are the "paintings": points on a ring, in two dimensions.

# %%
def real_points(count):
    angle = tf.random.uniform([count], 0.0, 6.2831853)
    radius = 1.0 + 0.05 * tf.random.normal([count])
    return tf.stack([radius * tf.cos(angle), radius * tf.sin(angle)], axis=1)

tf.random.set_seed(17)
points = real_points(300)
plt.figure(figsize=(4, 4))
plt.plot(points[:, 0], points[:, 1], ".")
plt.title("Real points")
plt.show()

# %% [markdown]
# The **forger** turns noise into points. The **critic** gives every point a number: high for real ones, low for forged ones. The critic learns to widen the gap;
# the forger learns to close it, by following the slope of the critic uphill. Neither is ever shown a rule for what a ring is.
#
# In a *Wasserstein* GAN (Arjovsky and others, 2017) the gap is a distance between the two clouds of points, on one condition: the critic must not be steeper
# than 1 anywhere. Gulrajani and others (2017) put that into the loss. They look **at the gradient of the critic itself**, at points between real and forged ones,
# and punish its length for being anything but 1.
#
# A gradient in a loss: to train the critic, we need the gradient of a gradient. You know how: lesson 10.

# %%
def dense(inputs, outputs):
    spread = 1.0 / inputs**0.5
    return [tf.Variable(spread * tf.random.normal([inputs, outputs])), tf.Variable(tf.zeros([outputs]))]

def run(layers, x):
    for weights, bias in layers[:-1]:
        x = tf.tanh(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias

critic = [dense(2, 32), dense(32, 32), dense(32, 1)]
forger = [dense(2, 32), dense(32, 32), dense(32, 2)]
print(run(critic, points[:3]).shape, run(forger, tf.random.normal([3, 2])).shape)

# %% [markdown]
# ## The point in between
#
# A point between a real one and a forged one is a mixture of both. It is *computed*, so no tape watches it by itself. What does a tape say that has not been told?

# %%
real, forged = tf.constant([[1.0, 0.0]]), tf.constant([[0.0, 2.0]])
between = 0.5 * real + 0.5 * forged

with tf.GradientTape() as tape:
    score = tf.reduce_sum(run(critic, between))

print(tape.gradient(score, between))
tf.explain(tape, score, between)

# %% [markdown]
# ### Exercise 17.1: the slope in between
#
# Instead of the network take a critic that one can reckon by hand: `steepness` times the squared distance from the origin. Return a tape, the sum of its scores, and the points between, so that the
# gradient arrives.

# %%
@tf.exercise("17.1")
def slope_in_between():
    steepness = tf.Variable(0.5, name="steepness")
    real, forged = tf.constant([[3.0, 0.0], [0.0, 1.0]]), tf.constant([[1.0, 2.0], [0.0, -3.0]])
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
# ## The penalty
#
# A row of the gradient for each point. Its **length** should be 1: the penalty is the mean of (length − 1)².
#
# ### Exercise 17.2: how far from one
#
# Return the penalty for a table of gradients, one row for each point.

# %%
@tf.exercise("17.2")
def penalty_of(gradients):
    gradients = tf.constant(gradients)
    ### BEGIN SOLUTION
    lengths = tf.sqrt(tf.reduce_sum(tf.square(gradients), axis=1))
    return tf.reduce_mean(tf.square(lengths - 1.0))
    ### INSTEAD
    ...
    ### END SOLUTION

tf.check("17.2")

# %% [markdown]
# ## A tape around a tape
#
# The inner tape gives the slope in between. From it comes the penalty. And the outer tape must see **all of it**, the way back of the inner one included, so that the penalty reaches the weights
# of the critic.
#
# ### Exercise 17.3: down to the weights
#
# The penalty for the critic of 17.1, and its gradient with respect to `steepness`. Two lines stand outside, where the outer tape cannot see them, and somebody has not been told what to watch. Mend all
# of it.

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
        slope = inner.gradient(score, between)
        penalty = tf.reduce_mean(tf.square(tf.norm(slope, axis=1) - 1.0))
    return outer, penalty, steepness
    ### INSTEAD
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            score = tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))
    slope = inner.gradient(score, between)
    penalty = ...  # from slope
    return outer, penalty, steepness
    ### END SOLUTION

tf.check("17.3")

# %% [markdown]
# Here it is, on one small example. Step through the outer tape: forward, then the way back of the inner tape as part of it, then the penalty.

# %%
steepness = tf.Variable(0.5, name="steepness")
between = tf.constant([[2.0, 1.0]])

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(between)
        score = tf.reduce_sum(steepness * tf.reduce_sum(between * between, axis=1))
    slope = inner.gradient(score, between)
    penalty = tf.reduce_mean(tf.square(tf.norm(slope, axis=1) - 1.0))

tf.show(outer, penalty, steepness)

# %% [markdown]
# ## Let them play
#
# Three steps of the critic for each step of the forger. It takes some seconds; the bar shows how far it is.

# %%
def flat(layers):
    return [variable for layer in layers for variable in layer]

critic_optimizer = tf.keras.optimizers.Adam(0.002, beta_1=0.5)
forger_optimizer = tf.keras.optimizers.Adam(0.002, beta_1=0.5)

def critic_step(count=64):
    real, forged = real_points(count), run(forger, tf.random.normal([count, 2]))
    mix = tf.random.uniform([count, 1])
    between = mix * real + (1.0 - mix) * forged
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = tf.reduce_sum(run(critic, between))
        slope = inner.gradient(score, between)
        penalty = tf.reduce_mean(tf.square(tf.norm(slope, axis=1) - 1.0))
        gap = tf.reduce_mean(run(critic, real)) - tf.reduce_mean(run(critic, forged))
        loss = 5.0 * penalty - gap
    weights = flat(critic)
    critic_optimizer.apply_gradients(zip(outer.gradient(loss, weights), weights))
    return float(gap)

def forger_step(count=64):
    noise = tf.random.normal([count, 2])
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(run(critic, run(forger, noise)))
    weights = flat(forger)
    forger_optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

gaps = []
bar = tf.keras.utils.Progbar(120)
for round in range(120):
    for _ in range(3):
        gap = critic_step()
    forger_step()
    gaps.append(gap)
    bar.update(round + 1)

# %%
forged = run(forger, tf.random.normal([300, 2]))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.plot(points[:, 0], points[:, 1], ".", label="real")
left.plot(forged[:, 0], forged[:, 1], ".", label="forged")
left.legend()
left.set_title("Who is who?")
right.plot(gaps)
right.set_xlabel("round")
right.set_title("The gap that the critic sees")
plt.show()

# %% [markdown]
# The forger has never seen a real point. It has only followed a slope.
#
# ### Exercise 17.4: who learns what?
#
# Predict for one step of the **forger**, which asks for the gradients of its loss: does a gradient arrive, `"yes"` or `"no"`,
#
# - `"forger"`: at the weights of the forger;
# - `"critic"`: at the weights of the critic, if one asked for them;
# - `"noise"`: at the noise, a plain tensor that nobody watches;
#
# and in `critic_step` at the weights of the forger, if one asked the **outer** tape for them: `"from the critic"`. (Where are the forged points made?)

# %%
@tf.exercise("17.4")
def who_learns_what():
    ### BEGIN SOLUTION
    return {"forger": "yes", "critic": "yes", "noise": "no", "from the critic": "no"}
    ### INSTEAD
    return {"forger": ..., "critic": ..., "noise": ..., "from the critic": ...}
    ### END SOLUTION

tf.check("17.4")

# %% [markdown]
# ## What to take along
#
# - What is computed is not watched: the points in between have to be named to the tape.
# - A gradient in a loss takes two tapes, and the outer one must be open while the inner one answers.
# - Two models, two lists of variables: each optimiser gets its own.
# - When a gradient is `None` in such a program, it is mostly one of two: nobody watched the point in between, or the outer tape was closed.
#
# Next, lesson 18: the derivative of an answer that was searched for.

# %%
tf.progress("17")
