import math
import tensorflow as tf

digits = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
words = tf.ragged.constant([["So", "long"], ["thanks", "for", "all", "the", "fish"]])
print(tf.add(digits, 3))
print(tf.reduce_mean(digits, axis=1))
print(tf.concat([digits, [[5, 3]]], axis=0))
print(tf.tile(digits, [1, 2]))
print(tf.strings.substr(words, 0, 2))
print(tf.map_fn(tf.math.square, digits))
print(digits[0], digits[:, :2], digits[:, -2:])
print(digits + 3, digits + tf.ragged.constant([[1, 2, 3, 4], [], [5, 6, 7], [8], []]))
times_two_plus_one = lambda x: x * 2 + 1
print(tf.ragged.map_flat_values(times_two_plus_one, digits))
print(digits.to_list(), digits.numpy())
print(
    tf.RaggedTensor.from_value_rowids(
        values=[3, 1, 4, 1, 5, 9, 2], value_rowids=[0, 0, 0, 0, 2, 2, 3]
    )
)
print(tf.RaggedTensor.from_row_lengths(values=[3, 1, 4, 1, 5, 9, 2], row_lengths=[4, 0, 2, 1]))
print(tf.RaggedTensor.from_row_splits(values=[3, 1, 4, 1, 5, 9, 2], row_splits=[0, 4, 4, 6, 7]))
print(tf.ragged.constant([["Hi"], ["How", "are", "you"]]))
try:
    tf.ragged.constant([["one", "two"], [3, 4]])
except ValueError as exception:
    print(str(exception)[:40])
try:
    tf.ragged.constant(["A", ["B", "C"]])
except ValueError as exception:
    print(str(exception)[:40])
queries = tf.ragged.constant(
    [["Who", "is", "Dan", "Smith"], ["Pause"], ["Will", "it", "rain", "later", "today"]]
)
num_buckets, size = 1024, 4
table = tf.Variable(
    tf.random.stateless_truncated_normal(
        [num_buckets, size], seed=[1, 2], stddev=1.0 / math.sqrt(size)
    )
)
buckets = tf.strings.to_hash_bucket_fast(queries, num_buckets)
print(buckets)
with tf.GradientTape() as tape:
    embeddings = tf.nn.embedding_lookup(table, buckets)
    marker = tf.fill([queries.nrows(), 1], "#")
    padded = tf.concat([marker, queries, marker], axis=1)
    bigrams = tf.strings.join([padded[:, :-1], padded[:, 1:]], separator="+")
    bigram_emb = tf.nn.embedding_lookup(table, tf.strings.to_hash_bucket_fast(bigrams, num_buckets))
    avg = tf.reduce_mean(tf.concat([embeddings, bigram_emb], axis=1), axis=1)
    loss = tf.reduce_sum(avg**2)
print(bigrams)
print(avg)
grad = tape.gradient(loss, table)
print(type(grad).__name__, tf.convert_to_tensor(grad).shape, tf.norm(tf.convert_to_tensor(grad)))
x = tf.ragged.constant([["John"], ["a", "big", "dog"], ["my", "cat"]])
print(x.shape, tf.strings.length(x), x.ragged_rank, x.bounding_shape())
print(x.to_tensor(default_value="*"), x.to_sparse())
print(tf.RaggedTensor.from_tensor([[1, 3, -1], [2, -1, -1]], padding=-1))
y = tf.ragged.constant([[1, 2], [3]])
print(x.flat_values, x.row_splits, x.row_lengths(), x.nested_row_splits)
print(
    tf.ragged.range([2, 4]),
    tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]]),
)


@tf.function
def make_palindrome(x, axis):
    return tf.concat([x, tf.reverse(x, [axis])], axis)


print(make_palindrome(tf.ragged.constant([[1, 2], [3], [4, 5, 6]]), axis=1))
dataset = tf.data.Dataset.from_tensor_slices(queries)
for item in dataset.batch(2):
    print(item)
ds = tf.data.Dataset.from_tensor_slices([1, 5, 3, 2, 8]).map(lambda n: tf.range(n))
for element in (
    ds.ragged_batch(2)
    if hasattr(ds, "ragged_batch")
    else ds.apply(tf.data.experimental.dense_to_ragged_batch(2))
):
    print(element)
