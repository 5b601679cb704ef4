"""`tf.function`: a Python function is traced once, and what it did is replayed ever after."""
