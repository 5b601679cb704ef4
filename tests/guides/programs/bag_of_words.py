import tensorflow as tf

sentences = tf.constant(
    ["The cat sat on the mat.", "The dog chased the cat!", "Dogs & cats, living together"]
)
clean = tf.strings.regex_replace(tf.strings.lower(sentences), r"[^a-z ]", "")
print(clean)
tokens = tf.strings.split(clean)
print(tokens, tokens.row_lengths())
vocab, idx, counts = tf.unique_with_counts(tokens.flat_values)
print(vocab, idx, counts)
order = tf.argsort(counts, direction="DESCENDING", stable=True)
print(tf.gather(vocab, order)[:3])
ids = tokens.with_flat_values(idx)
bow = tf.math.reduce_sum(tf.one_hot(ids, tf.size(vocab)), axis=1)
print(bow)
print(tf.shape(bow))
df = tf.reduce_sum(tf.cast(bow > 0, tf.float32), axis=0)
idf = tf.math.log(3.0 / df)
tfidf = tf.linalg.l2_normalize(bow * idf, axis=1)
print(tf.round(tf.matmul(tfidf, tfidf, transpose_b=True) * 1000) / 1000)
print(tf.strings.ngrams(tokens, 2))
print(
    tf.strings.length(sentences),
    tf.strings.substr(sentences, 0, 3),
    tf.strings.regex_full_match(sentences, ".*cat.*"),
    tf.strings.join(["a", "b"], "-"),
    tf.strings.upper("abc"),
    tf.strings.as_string([1.5, 2.0], precision=2),
    tf.strings.reduce_join(tokens, axis=1, separator="_"),
    tf.strings.strip("  x "),
)
init = (
    tf.lookup.KeyValueTensorInitializer(["cat", "dog"], tf.constant([1, 2]))
    if hasattr(tf, "lookup")
    else None
)
labels = tf.constant([1.0, 0.0, 1.0])
w = tf.Variable(tf.zeros([bow.shape[1]]))
b = tf.Variable(0.0)
for step in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels, tf.linalg.matvec(bow, w) + b)
        )
    gw, gb = tape.gradient(loss, (w, b))
    w.assign_sub(0.5 * gw)
    b.assign_sub(0.5 * gb)
print(loss, w.numpy().round(3))
print(
    tf.strings.unicode_transcode("naïve", "UTF-8", "UTF-16-BE"),
    tf.strings.unicode_script([33464, 1041]),
    tf.strings.to_hash_bucket_strong("x", 10, [1, 2]),
    tf.strings.format("loss {} at {}", (loss, 3)),
)
for s in tokens:
    print(len(s), s.numpy()[0].decode())
