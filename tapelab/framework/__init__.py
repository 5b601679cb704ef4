"""Functions and classes of `tf.*` itself that are no ops: scopes, modules, initializers, print.

TensorFlow keeps them in packages of the same kind; users reach them as `tf.name_scope`,
`tf.Module`, `tf.zeros_initializer` and `tf.print`.
"""
