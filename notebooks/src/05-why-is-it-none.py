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
#     lesson: "05"
#     minutes: 40
# ---

# %% [markdown]
# # 05 · Why is it None?
#
# *You ask for a gradient and get `None`. Where does the path end, and how do you fix it?*
#
# About 40 minutes: fix twelve broken programs, then answer three questions.

# %%
import numpy as np
import tapelab as tf

# %% [markdown]
# ## None is not 0
#
# A gradient of 0 means: *there is a path, and its derivative is 0 here*. `None` means: *there is no path*. The
# backward pass started at the target and never reached your source.

# %%
x = tf.Variable(0.0, name="x")
w = tf.Variable(2.0, name="w")

with tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, [x, w]))

# %% [markdown]
# The derivative of `x * x` at 0 is 0, so the gradient with respect to `x` is 0. `y` does not depend on `w`, so the
# gradient with respect to `w` is `None`.
#
# Here `None` is correct. Usually it is a bug without an error message: the program runs, but the model never learns.
# In this lesson you learn to find the line where the path ends. `tf.explain` shows that line, and the line to write
# instead:

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
tf.explain(tape, y, x)

# %% [markdown]
# ## Twelve causes
#
# | code | what happened |
# |---|---|
# | `NOT_WATCHED` | the source is a plain tensor that the tape does not watch |
# | `NOT_TRAINABLE` | the source is a variable with `trainable=False`; the tape does not watch it |
# | `REBOUND_TO_TENSOR` | the name was bound to a new tensor and no longer refers to the variable |
# | `INT_DTYPE` | the source is an integer, or was cast to one: functions of integers have no derivative |
# | `BEFORE_TAPE` | a part of the computation ran before the tape's block |
# | `AFTER_TAPE` | a part of the computation ran after it |
# | `RECORDING_PAUSED` | a part ran inside the block while `tape.stop_recording()` paused the tape |
# | `LEFT_ENGINE` | the value went to NumPy or Python and came back as a plain number |
# | `COPIED_VALUE` | a new variable was made from the value: it copies the number, not how it was computed |
# | `STATE_READ` | the value was put into a variable with `assign`; reading the variable starts a new path |
# | `STOPPED` | `tf.stop_gradient` lets the value pass and stops the gradient |
# | `NON_DIFFERENTIABLE` | an op on the path has no useful derivative: it returns an index or a rounded number, as `tf.argmax` and `tf.round` do |
#
# In each of the twelve programs `tape.gradient(y, x)` is `None`. Do two things:
#
# 1. write the **cause** into the first line, in quotes, as in `cause = "STOPPED"`;
# 2. **fix** the code, so that a gradient arrives and `y` has the same value as before.
#
# Try to find the cause by reading. The cell after each exercise explains the gradient: run it when you are stuck, and
# again when the code is fixed.
#
# ## The tape did not watch it
#
# ### Exercise 05.1: a constant

# %%
@tf.exercise("05.1")
def a_constant():
    ### BEGIN SOLUTION
    cause = "NOT_WATCHED"
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    ### INSTEAD
    cause = ...
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    ### END SOLUTION
    return cause, tape, y, x

tf.check("05.1")

# %%
cause, tape, y, x = a_constant()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.2: a frozen variable

# %%
@tf.exercise("05.2")
def a_frozen_variable():
    ### BEGIN SOLUTION
    cause = "NOT_TRAINABLE"
    x = tf.Variable(3.0)
    ### INSTEAD
    cause = ...
    x = tf.Variable(3.0, trainable=False)
    ### END SOLUTION
    with tf.GradientTape() as tape:
        y = x * x * x
    return cause, tape, y, x

tf.check("05.2")

# %%
cause, tape, y, x = a_frozen_variable()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.3: one step to the right
#
# `x` starts at 2 and increases by 1 before the tape starts. Keep this step.

# %%
@tf.exercise("05.3")
def one_step_to_the_right():
    ### BEGIN SOLUTION
    cause = "REBOUND_TO_TENSOR"
    x = tf.Variable(2.0)
    x.assign_add(1.0)
    ### INSTEAD
    cause = ...
    x = tf.Variable(2.0)
    x = x + 1.0
    ### END SOLUTION
    with tf.GradientTape() as tape:
        y = x * x
    return cause, tape, y, x

tf.check("05.3")

# %%
cause, tape, y, x = one_step_to_the_right()
tf.explain(tape, y, x)

# %% [markdown]
# `x = x + 1.0` binds the *name* to a new tensor, `x.assign_add(1.0)` changes the *variable*. (`x += 1.0` also rebinds
# the name when `x` is a tensor; for a variable TensorFlow raises an error.) In a training loop this decides whether
# the model learns anything after the first step.
#
# ### Exercise 05.4: three apples

# %%
@tf.exercise("05.4")
def three_apples():
    ### BEGIN SOLUTION
    cause = "INT_DTYPE"
    x = tf.Variable(3.0)
    ### INSTEAD
    cause = ...
    x = tf.Variable(3)
    ### END SOLUTION
    with tf.GradientTape() as tape:
        y = x * x
    return cause, tape, y, x

tf.check("05.4")

# %%
cause, tape, y, x = three_apples()
tf.explain(tape, y, x)

# %% [markdown]
# The integer dtype is the only reason. `tape.watch` logs a warning for a tensor of integers. For a variable of
# integers there is no warning.
#
# ## The tape was not active
#
# ### Exercise 05.5: started too early

# %%
@tf.exercise("05.5")
def started_too_early():
    ### BEGIN SOLUTION
    cause = "BEFORE_TAPE"
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = x * x
        y = 3.0 * h
    ### INSTEAD
    cause = ...
    x = tf.Variable(2.0)
    h = x * x
    with tf.GradientTape() as tape:
        y = 3.0 * h
    ### END SOLUTION
    return cause, tape, y, x

tf.check("05.5")

# %%
cause, tape, y, x = started_too_early()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.6: finished too late

# %%
@tf.exercise("05.6")
def finished_too_late():
    ### BEGIN SOLUTION
    cause = "AFTER_TAPE"
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = x * x
        y = 3.0 * h
    ### INSTEAD
    cause = ...
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = x * x
    y = 3.0 * h
    ### END SOLUTION
    return cause, tape, y, x

tf.check("05.6")

# %%
cause, tape, y, x = finished_too_late()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.7: a short pause

# %%
@tf.exercise("05.7")
def a_short_pause():
    ### BEGIN SOLUTION
    cause = "RECORDING_PAUSED"
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = x * x
        y = 3.0 * h
    ### INSTEAD
    cause = ...
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            h = x * x
        y = 3.0 * h
    ### END SOLUTION
    return cause, tape, y, x

tf.check("05.7")

# %%
cause, tape, y, x = a_short_pause()
tf.explain(tape, y, x)

# %% [markdown]
# ## The value left the tape
#
# ### Exercise 05.8: a mean by NumPy
#
# The function computes the root mean square of three numbers. It looks right, and the value is correct.

# %%
@tf.exercise("05.8")
def a_mean_by_numpy():
    ### BEGIN SOLUTION
    cause = "LEFT_ENGINE"
    ### INSTEAD
    cause = ...
    ### END SOLUTION
    x = tf.Variable([1.0, 2.0, 4.0])
    with tf.GradientTape() as tape:
        squares = x * x
        ### BEGIN SOLUTION
        mean = tf.reduce_mean(squares)
        ### INSTEAD
        mean = np.mean(squares)
        ### END SOLUTION
        y = tf.sqrt(mean)
    return cause, tape, y, x

tf.check("05.8")

# %%
cause, tape, y, x = a_mean_by_numpy()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.9: a spare copy

# %%
@tf.exercise("05.9")
def a_spare_copy():
    ### BEGIN SOLUTION
    cause = "COPIED_VALUE"
    ### INSTEAD
    cause = ...
    ### END SOLUTION
    x = tf.Variable(3.0)
    spare = tf.Variable(x)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        y = 2.0 * x * x
        ### INSTEAD
        y = 2.0 * spare * spare
        ### END SOLUTION
    return cause, tape, y, x

tf.check("05.9")

# %%
cause, tape, y, x = a_spare_copy()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.10: a running total
#
# A variable keeps its value. It does not keep how the value was computed.

# %%
@tf.exercise("05.10")
def a_running_total():
    ### BEGIN SOLUTION
    cause = "STATE_READ"
    ### INSTEAD
    cause = ...
    ### END SOLUTION
    x = tf.Variable(3.0)
    total = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        new_total = total + x * x
        y = 2.0 * new_total
        ### INSTEAD
        total.assign_add(x * x)
        y = 2.0 * total
        ### END SOLUTION
    return cause, tape, y, x

tf.check("05.10")

# %%
cause, tape, y, x = a_running_total()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.11: a valve

# %%
@tf.exercise("05.11")
def a_valve():
    ### BEGIN SOLUTION
    cause = "STOPPED"
    ### INSTEAD
    cause = ...
    ### END SOLUTION
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        ### BEGIN SOLUTION
        baseline = x * x
        ### INSTEAD
        baseline = tf.stop_gradient(x * x)
        ### END SOLUTION
        y = 3.0 * baseline
    return cause, tape, y, x

tf.check("05.11")

# %%
cause, tape, y, x = a_valve()
tf.explain(tape, y, x)

# %% [markdown]
# ### Exercise 05.12: the highest score
#
# Which of the three is the highest, and how high is it?

# %%
@tf.exercise("05.12")
def the_highest_score():
    ### BEGIN SOLUTION
    cause = "NON_DIFFERENTIABLE"
    ### INSTEAD
    cause = ...
    ### END SOLUTION
    scores = [1.0, 4.0, 2.0]
    x = tf.Variable(scores)
    with tf.GradientTape() as tape:
        place = tf.argmax(x)
        ### BEGIN SOLUTION
        y = tf.gather(x, place)
        ### INSTEAD
        y = tf.gather(scores, place)
        ### END SOLUTION
    return cause, tape, y, x

tf.check("05.12")

# %%
cause, tape, y, x = the_highest_score()
tf.explain(tape, y, x)

# %% [markdown]
# The *index* of the highest score is an integer. It does not change when a score grows a little. The score itself
# does: take it from `x`.
#
# ## The other way round
#
# ### Exercise 05.13: break it on purpose
#
# Now you know how a value can leave the tape. Use one of these ways: compute `y = x²` so that `y` is correct and the
# gradient is `None` with the cause `LEFT_ENGINE`.

# %%
@tf.exercise("05.13")
def broken_on_purpose(value):
    x = tf.Variable(value)
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        number = (x * x).numpy()
        y = tf.constant(number)
    ### INSTEAD
    with tf.GradientTape() as tape:
        y = ...
    ### END SOLUTION
    return tape, y, x

tf.check("05.13")

# %% [markdown]
# ### Exercise 05.14: zero or None?
#
# Predict what `tape.gradient(y, x)` returns. Write `None` or a number.
#
# | | `x` | inside the tape |
# |---|---|---|
# | a | `tf.Variable(0.0)` | `y = x * x` |
# | b | `tf.Variable(1.0)` | `y = 2.0 * w`, where `w` is another variable |
# | c | `tf.Variable(3.0)` | `y = 0.0 * x` |
# | d | `tf.Variable(-1.0)` | `y = tf.maximum(x, 0.0)` |
# | e | `tf.Variable(1.0)` | `y = tf.stop_gradient(x) + w` |

# %%
@tf.exercise("05.14")
def zero_or_none():
    ### BEGIN SOLUTION
    return {"a": 0.0, "b": None, "c": 0.0, "d": 0.0, "e": None}
    ### INSTEAD
    return {"a": ..., "b": ..., "c": ..., "d": ..., "e": ...}
    ### END SOLUTION

tf.check("05.14")

# %% [markdown]
# This option returns 0 where there is no path: `tape.gradient(y, x,
# unconnected_gradients=tf.UnconnectedGradients.ZERO)`. It is sometimes useful, but it can hide a bug. Do not use it
# while you look for one.
#
# ### Exercise 05.15: the one that lies
#
# You notice a `None`. Worse is a gradient that arrives with a part missing. This happens in one of these three
# programs, at `x = 3`:
#
# ```python
# y = x * x + 2.0 * x          # program a
# y = x * tf.stop_gradient(x)  # program b
# y = tf.stop_gradient(x * x)  # program c
# ```
#
# Which one? What does the tape return, and what is the derivative of the function that the program computes?

# %%
@tf.exercise("05.15")
def the_one_that_lies():
    ### BEGIN SOLUTION
    return {"partial": "b", "the tape says": 3.0, "mathematics says": 6.0}
    ### INSTEAD
    return {"partial": ..., "the tape says": ..., "mathematics says": ...}
    ### END SOLUTION

tf.check("05.15")

# %%
x = tf.Variable(3.0, name="x")

with tf.GradientTape() as tape:
    y = x * tf.stop_gradient(x)

tf.show(tape, y)

# %% [markdown]
# Sometimes this is what you want: a target that should not move, a baseline that should not be trained. Then the
# missing part is intended. `stop_gradient` never changes the value, only the backward pass.
#
# ## Summary
#
# - `None` means *no path*. 0 means *a path whose derivative is 0 here*.
# - The path must be complete from source to target: the source is watched, all values are floats, and all operations
#   are TensorFlow's and run inside the block.
# - `x = x + 1` rebinds the name, `x.assign_add(1)` changes the variable, `.numpy()` leaves the tape, `assign` starts
#   a new path.
# - When in doubt, `tf.explain(tape, y, x)` shows the line.
#
# Terms in the glossary: [path](glossary.ipynb#path), [None and zero](glossary.ipynb#None-and-zero), [pitfall](glossary.ipynb#pitfall).

# %%
tf.progress("05")
