import traceback
import contextlib
import tensorflow as tf


@contextlib.contextmanager
def assert_raises(error_class):
    try:
        yield
    except error_class as e:
        print("Caught expected exception", error_class.__name__)
    else:
        raise Exception("Expected {} to be raised".format(error_class))


@tf.function
def add(a, b):
    return a + b


print(add(tf.ones([2, 2]), tf.ones([2, 2])))
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    result = add(v, 1.0)
print(tape.gradient(result, v))


@tf.function
def dense_layer(x, w, b):
    return add(tf.matmul(x, w), b)


print(dense_layer(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2])))


@tf.function
def double(a):
    print("Tracing with", a)
    return a + a


print(double(tf.constant(1)), "\n", double(tf.constant(1.1)), "\n", double(tf.constant("a")))
print(double(tf.constant("b")))
print(double.pretty_printed_concrete_signatures())
double_strings = double.get_concrete_function(tf.constant("a"))
print(double_strings(tf.constant("a")), double_strings(a=tf.constant("b")))
print(double.get_concrete_function(tf.TensorSpec(shape=[], dtype=tf.string))(tf.constant("c")))
print(double_strings.structured_input_signature)


@tf.function
def pow_(a, b):
    return a**b


square = pow_.get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
print(square(tf.constant(10.0)))
with assert_raises(TypeError):
    square(tf.constant(10.0), b=3)


@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    print("Tracing with", x)
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)


print(next_collatz(tf.constant([1, 2])))
with assert_raises(TypeError):
    next_collatz(tf.constant([[1, 2], [3, 4]]))
with assert_raises(TypeError):
    next_collatz(tf.constant([1.0, 2.0]))


def train_one_step():
    pass


@tf.function
def train(num_steps):
    print("Tracing with num_steps = ", num_steps)
    for _ in tf.range(num_steps):
        train_one_step()


train(num_steps=10)
train(num_steps=20)
train(num_steps=tf.constant(10))
train(num_steps=tf.constant(20))


def f():
    print("Tracing!")


tf.function(f)()
tf.function(f)()


@tf.function
def g(x):
    tf.print("tensor", x)
    print("traced", x)


g(1)
g(1)
g(2)
external_list = []


@tf.function
def side_effect(x):
    print("Python side effect")
    external_list.append(x)


side_effect(1)
side_effect(1)
assert len(external_list) == 1


@tf.function
def buggy_consume_next(iterator):
    return next(iterator)


iterator = iter([1, 2, 3])
print(*[buggy_consume_next(iterator).numpy() for _ in range(3)])


@tf.function
def good_consume_next(iterator):
    return next(iterator)


ds_iterator = iter(tf.data.Dataset.from_tensor_slices([1, 2, 3]))
print(*[good_consume_next(ds_iterator).numpy() for _ in range(3)])


@tf.function
def leaky_function(a):
    global x
    x = a + 1
    return a + 2


correct_a = leaky_function(tf.constant(1))
try:
    x.numpy()
except AttributeError as expected:
    print(expected)


class Count(tf.Module):
    def __init__(self):
        self.count = None

    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)


c = Count()
print(c(), c())


@tf.function
def bad(x):
    v = tf.Variable(1.0)
    return v + x


with assert_raises(ValueError):
    bad(1.0)


@tf.function
def fizzbuzz(n):
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            tf.print("fizzbuzz")
        elif i % 3 == 0:
            tf.print("fizz")
        elif i % 5 == 0:
            tf.print("buzz")
        else:
            tf.print(i)


fizzbuzz(tf.constant(15))


@tf.function
def loop(x):
    while tf.reduce_sum(x) > 1:
        x = tf.tanh(x)
    return x


print(loop(tf.constant([0.9, 0.7, 0.5])))


def rnn_step(inp, state):
    return inp + state


@tf.function
def dynamic_rnn(rnn_step, input_data, initial_state):
    input_data = tf.transpose(input_data, [1, 0, 2])
    max_seq_len = tf.shape(input_data)[0]
    states = tf.TensorArray(tf.float32, size=max_seq_len)
    state = initial_state
    for i in tf.range(max_seq_len):
        state = rnn_step(input_data[i], state)
        states = states.write(i, state)
    return tf.transpose(states.stack(), [1, 0, 2])


xs = tf.reshape(tf.range(24.0), [2, 3, 4])
with tf.GradientTape() as tape:
    tape.watch(xs)
    out = dynamic_rnn(rnn_step, xs, tf.zeros([2, 4]))
print(out, tape.gradient(out, xs))


def bad_name(x):
    if tf.random.uniform([]) > 2.0:
        q = x
    return q


with assert_raises(Exception):
    tf.function(bad_name)(1.0)
