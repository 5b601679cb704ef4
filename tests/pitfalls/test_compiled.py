"""What is found does not depend on whether a function ran compiled."""

import pytest

from tests.pitfalls.snippets import explained

BODIES = {
    "NON_DIFFERENTIABLE": "return tf.reduce_sum(tf.cast(v > 1.0, tf.float32) + tf.round(v))",
    "INDEX_ONLY": "return tf.gather([1.0, 2.0, 4.0], tf.argsort(v))[0] * 2.0",
    "SHAPE_ONLY": "return tf.cast(tf.size(v), tf.float32) * 2.0",
    "PREDICATE_ONLY": "return tf.reduce_sum(tf.where(v > 1.0, 2.0, 3.0))",
    "SAMPLER": "return tf.reduce_sum(tf.cast(tf.random.categorical([v], 3), tf.float32))",
    "STOPPED": "return tf.reduce_sum(tf.stop_gradient(v) ** 2)",
}

SNIPPET = """
    @tf.function
    def f(v):
        {body}
    x = tf.Variable([3.0, 1.0, 2.0])
    for step in range({calls}):
        with tf.GradientTape() as tape:
            y = f(x)
    g = tape.gradient(y, x)
    """


@pytest.mark.parametrize("code", BODIES)
def test_a_function_that_ran_often_is_explained_as_one_that_ran_once(code):
    often, once = (explained(SNIPPET.format(body=BODIES[code], calls=n)) for n in (6, 1))
    assert once.findings[0].code == code
    assert [each.code for each in often.findings] == [each.code for each in once.findings]
    assert [each.message for each in often.findings] == [each.message for each in once.findings]
    spans = [[each.where.to_json() for each in way.findings] for way in (often, once)]
    cell = {"source": 0, "file": ""}  # each ran in a cell of its own
    assert [where | cell for where in spans[0]] == [where | cell for where in spans[1]]


@pytest.mark.parametrize("calls", [1, 6])
def test_a_branch_that_only_the_source_decides(calls):
    body = "return tf.constant(1.0) * 2.0 if tf.reduce_sum(v) > 1.0 else tf.constant(3.0) * 2.0"
    explanation = explained(SNIPPET.format(body=body, calls=calls))
    assert explanation.findings[0].code == "PREDICATE_ONLY"
    assert explanation.findings[0].where.text == "tf.reduce_sum(v) > 1.0"
